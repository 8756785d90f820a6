// Search, filters and sorting of the list of interviews. They are part of the address.
import { html, useMemo, useState } from '../../page/html.js';
import { note } from '../../page/router.js';
import { count } from '../../page/words.js';
import { running } from '../shared/interviewwords.js';
import { Choice } from '../../page/form.js';

const FEW = 5; // interviews that need no search

/** @type {Record<string, string>} */
const states = {
  '': 'Any status',
  ready: 'Ready',
  running: 'Being analysed',
  parsed: 'Analysed',
  partly: 'Not fully analysed',
  ended: 'Failed or stopped',
};
/** @type {Record<string, (row: Interview) => boolean>} */
const isIn = {
  ready: ({ status }) => status === 'uploaded',
  running: ({ status }) => running(status),
  parsed: ({ status }) => status === 'parsed',
  partly: ({ status, coverage }) => status === 'parsed' && coverage < 1,
  ended: ({ status }) => ['failed', 'canceled', 'terminated', 'timed_out'].includes(status),
};

/** @param {Interview} row */
const dayOf = (row) => row.interviewed_on ?? row.created_at.slice(0, 10);
/** @type {Record<string, string>} */
const sorts = {
  '': 'Newest first',
  oldest: 'Oldest first',
  day: 'Interview date',
  title: 'Title',
  quotes: 'Most quotes',
};
/** @type {Record<string, (a: Interview, b: Interview) => number>} */
const orders = {
  oldest: (a, b) => a.created_at.localeCompare(b.created_at),
  day: (a, b) => dayOf(b).localeCompare(dayOf(a)),
  title: (a, b) => a.title.localeCompare(b.title, undefined, { numeric: true }),
  quotes: (a, b) => b.evidence_count - a.evidence_count,
};

const none = { find: '', status: '', persona: '' };

// useFind returns the interviews that the user looks for, and a component with the controls. peopleOf returns
// the names of the speakers of an interview.
/**
 * @param {Context} context
 * @param {URLSearchParams} query
 * @param {Interview[] | null} rows
 * @param {(id: string) => string[]} peopleOf
 */
export function useFind(context, query, rows, peopleOf) {
  const [want, setWant] = useState(() => {
    /** @param {string} name */
    const of = (name) => query.get(name) ?? '';
    return { find: of('find'), status: of('status'), persona: of('persona'), sort: of('sort') };
  });
  const set = (/** @type {Record<string, string>} */ changes) => {
    setWant({ ...want, ...changes });
    note(changes);
  };
  const shown = useMemo(() => {
    const words = want.find.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (rows ?? []).filter((row) => {
      const text = [row.title, row.filename, ...peopleOf(row.id)].join(' ').toLowerCase();
      return (
        words.every((word) => text.includes(word)) &&
        (isIn[want.status]?.(row) ?? true) &&
        (!want.persona || row.persona_id === want.persona)
      );
    });
    return orders[want.sort] ? found.sort(orders[want.sort]) : found;
  }, [rows, want, peopleOf]);
  const any = Boolean(want.find || want.status || want.persona);
  const controls =
    rows &&
    (rows.length > FEW || any) &&
    html`
      <div class="filters" role="group" aria-label="Find interviews">
        <input
          type="search"
          aria-label="Search by title, file or speaker"
          placeholder="Title, file or speaker"
          value=${want.find}
          onInput=${(e) => set({ find: e.currentTarget.value })}
        />
        <${Choice}
          label="Status"
          value=${want.status}
          options=${states}
          onChange=${(/** @type {string} */ status) => set({ status })}
        />
        ${
          context.personas.length > 0 &&
          html`
            <${Choice}
              label="Persona"
              value=${want.persona}
              options=${{
                '': 'Any persona',
                ...Object.fromEntries(context.personas.map((p) => [p.id, p.name])),
              }}
              onChange=${(/** @type {string} */ persona) => set({ persona })}
            />
          `
        }
        <${Choice}
          label="Sort by"
          value=${want.sort}
          options=${sorts}
          onChange=${(/** @type {string} */ sort) => set({ sort })}
        />
        ${
          any &&
          html`
            <span class="faint" role="status">${shown.length} of ${count(rows.length, 'interview')}</span>
            <button class="link" onClick=${() => set(none)}>Clear</button>
          `
        }
      </div>
    `;
  return { shown, controls };
}
