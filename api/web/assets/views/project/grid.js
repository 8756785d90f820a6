// What each participant, or each group of participants, says about each hypothesis.
import { html, useMemo } from '../../page/html.js';
import { Choice } from '../../page/form.js';
import { route, setQuery } from '../../page/router.js';
import { useStore } from '../../page/store.js';
import { personStances } from '../../page/words.js';
import { byName, byText, groupings } from '../shared/groups.js';
import { Mark } from '../shared/mark.js';
import { Segments } from './segments.js';
import { Table } from './table.js';

// Grid is a table of participants by hypotheses, or of hypotheses by groups of participants. A cell leads to
// its quotes. The address says by what people are grouped.
/** @param {{ context: Context, people: Map<string, People> }} props */
export function Grid({ context, people }) {
  const wanted = useStore(route).query.get('by') ?? '';
  const all = useMemo(() => [...people.values()].at(0)?.everyone ?? [], [people]);
  const ways = useMemo(() => groupings(all), [all]);
  if (all.length === 0) return null;
  const by = ways.includes(wanted) ? wanted : '';
  const View = by ? Segments : Participants;
  return html`
    <section class="grid" aria-labelledby="grid">
      <header class="grouping">
        <h2 id="grid">${by ? `Hypotheses by ${byName(by)}` : 'Participants by hypotheses'}</h2>
        <${Choice}
          label="Group by"
          value=${by}
          options=${{ '': 'Nothing', ...Object.fromEntries(ways.map((way) => [way, byText(way)])) }}
          onChange=${(/** @type {string} */ way) => setQuery({ by: way })}
        />
      </header>
      <${View} key=${by} ...${{ context, people, all, by }} />
    </section>
  `;
}

/** @param {{ context: Context, people: Map<string, People> }} props */
function Participants({ context, people }) {
  const hypotheses = context.hypotheses.filter((h) => people.has(h.id)); // a new one is not counted at once
  /** @type {Map<string, string>} */
  const names = new Map();
  /** @type {Map<string, Participant>} */
  const cells = new Map();
  for (const h of hypotheses) {
    for (const p of people.get(h.id)?.participants ?? []) {
      names.set(p.key, p.name);
      cells.set(`${h.id} ${p.key}`, p);
    }
  }
  if (names.size === 0) return null;
  const rows = [...names].sort((a, b) => a[1].localeCompare(b[1]));
  /** @type {PersonStance[]} */
  const kinds = ['supports', 'contradicts', 'mixed', 'neutral', 'silent', 'unmatched', 'unread'];
  return html`
    <p class="legend">
      ${kinds.map(
        (kind) => html`
          <span key=${kind}>
            <${Mark} stance=${kind} />
            ${personStances[kind]}
          </span>
        `,
      )}
    </p>
    <${Table}
      corner="Participant"
      heads=${hypotheses.map(
        (h) => html`
          <th key=${h.id} scope="col">
            <span dir="auto">${h.statement}</span>
          </th>
        `,
      )}
      rows=${rows}
      row=${(/** @type {[string, string]} */ [key, name]) => html`
        <tr key=${key}>
          <th scope="row" dir="auto">${name}</th>
          ${hypotheses.map(
            (h) => html`
              <td key=${h.id}>
                <${Cell} context=${context} hypothesis=${h} person=${cells.get(`${h.id} ${key}`)} />
              </td>
            `,
          )}
        </tr>
      `}
    />
  `;
}

/** @param {{ context: Context, hypothesis: Hypothesis, person: Participant | undefined }} props */
function Cell({ context, hypothesis, person: p }) {
  if (!p)
    return html`
      <span class="unseen">not about this person</span>
    `;
  const quotes = p.supports + p.contradicts + p.neutral;
  const said = `${p.name}: ${personStances[p.stance]}`;
  if (quotes === 0)
    return html`
      <span title=${said}>
        <${Mark} stance=${p.stance} />
        <span class="unseen">${personStances[p.stance]}</span>
      </span>
    `;
  const query = new URLSearchParams({ h: hypothesis.id, ...p.filter });
  return html`
    <a
      href=${`/projects/${context.id}/evidence?${query}`}
      aria-label=${`${said}, ${quotes === 1 ? '1 quote' : `${quotes} quotes`}`}
      title=${said}
    >
      <${Mark} stance=${p.stance} />
    </a>
  `;
}
