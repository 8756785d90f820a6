// What a search is limited to: a kind of hits, a persona, a speaker. It is part of the address.
import { html } from '../../page/html.js';
import { note } from '../../page/router.js';
import { list } from '../../client/api.js';
import { speakers } from '../../client/people.js';
import { useLoad } from '../../page/load.js';
import { Choice } from '../../page/form.js';
import { number } from '../../page/words.js';

/**
 * @typedef {object} Wanted what is searched; '' is no limit
 * @property {string} query
 * @property {string} kind one of kinds
 * @property {string} persona an id
 * @property {string} speaker a name
 */

/** @type {Record<string, { name: string, of: Hit['kind'][] }>} */
export const kinds = {
  turns: { name: 'Turns', of: ['utterance'] },
  quotes: { name: 'Quotes', of: ['quote'] },
  hypotheses: { name: 'Hypotheses', of: ['hypothesis'] },
  answers: { name: 'Answers', of: ['answer'] },
  names: { name: 'Interviews and speakers', of: ['interview', 'speaker'] },
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// wantedIn returns what the address asks for; null if it asks for no search.
/** @param {URLSearchParams} address @returns {Wanted | null} */
export function wantedIn(address) {
  const query = address.get('search');
  if (!query) return null;
  const [kind, persona] = [address.get('search-kind') ?? '', address.get('search-persona') ?? ''];
  return {
    query: query.slice(0, 200),
    kind: Object.hasOwn(kinds, kind) ? kind : '',
    persona: uuid.test(persona) ? persona : '',
    speaker: address.get('search-speaker') ?? '',
  };
}

// noteWanted puts a search into the address; null takes it out.
/** @param {Wanted | null} wanted */
export const noteWanted = (wanted) =>
  note({
    search: wanted?.query ?? '',
    'search-kind': wanted?.kind ?? '',
    'search-persona': wanted?.persona ?? '',
    'search-speaker': wanted?.speaker ?? '',
  });

/** @param {Wanted} wanted */
export const isLimited = ({ kind, persona, speaker }) => Boolean(kind || persona || speaker);

// Filters shows the limits. counts has the places of each kind.
/**
 * @param {object} props
 * @param {string} props.projectId
 * @param {Wanted} props.wanted
 * @param {Record<string, number>} props.counts
 * @param {(limits: Partial<Wanted>) => void} props.onChange
 */
export function Filters({ projectId, wanted, counts, onChange }) {
  const { data } = useLoad(
    async (signal) => {
      const inProject = { project_id: `eq.${projectId}` };
      const [personas, voices] = await Promise.all([
        list('personas', { ...inProject, select: 'id,name', order: 'created_at,id' }, { signal }),
        speakers(inProject, signal),
      ]);
      const names = [...new Set(voices.map(({ name }) => name))].filter(Boolean);
      return { personas, names: names.sort((a, b) => a.localeCompare(b)) };
    },
    [projectId],
  );
  const { kind, persona, speaker } = wanted;
  const personas = { ...(persona && { [persona]: data ? 'A deleted persona' : '…' }) };
  for (const { id, name } of data?.personas ?? []) personas[id] = name;
  const names = [...new Set([...(speaker ? [speaker] : []), ...(data?.names ?? [])])];
  return html`
    <div class="filters">
      <${Choice}
        label="Kind"
        value=${kind}
        options=${{
          '': 'Everything',
          ...Object.fromEntries(
            Object.entries(kinds).map(([key, { name }]) => [key, `${name} (${number(counts[key])})`]),
          ),
        }}
        onChange=${(/** @type {string} */ value) => onChange({ kind: value })}
      />
      ${
        Object.keys(personas).length > 0 &&
        html`
          <${Choice}
            label="Persona"
            value=${persona}
            options=${{ '': 'Any persona', ...personas }}
            onChange=${(/** @type {string} */ value) => onChange({ persona: value })}
          />
        `
      }
      <${Choice}
        label="Speaker"
        value=${speaker}
        options=${{ '': 'Everyone', ...Object.fromEntries(names.map((name) => [name, name])) }}
        onChange=${(/** @type {string} */ value) => onChange({ speaker: value })}
      />
    </div>
  `;
}
