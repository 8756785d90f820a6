// What the last analysis of an interview changed.
import { html } from '../../page/html.js';
import { runs } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { entriesOf, number } from '../../page/words.js';
import { stances, strengths } from '../shared/evidencewords.js';

/** @typedef {'added' | 'changed' | 'gone'} Kind */
/** @type {Record<Kind, string>} */
const kinds = { added: 'added', changed: 'changed', gone: 'no longer found' };
const keptText = 'It stays, because a person reviewed or edited it.';

/** @param {Run} run */
const changed = (run) =>
  entriesOf(kinds)
    .map(([kind]) => kind)
    .filter((kind) => run[kind].length > 0);
/** @param {Change} change */
const judgements = ({ before, after }) =>
  [before, after]
    .filter((link) => link !== undefined)
    .map(({ stance, strength }) => `${stances[stance]}, ${strengths[strength]}`)
    .join(' → ');

// LastAnalysis lists what the last of several analyses changed. The statements are by the ids of hypotheses.
/** @param {{ id: string, finishedAt: string | null, statement: Map<string, string> }} props */
export function LastAnalysis({ id, finishedAt, statement }) {
  const all = useLoad((signal) => runs(id, { signal }), [id, finishedAt]).data ?? [];
  const last = all.find((run) => run.status === 'parsed' || changed(run).length > 0);
  if (all.length < 2 || !last) return null;
  const found = changed(last);
  if (found.length === 0)
    return html`
      <p class="faint">Last analysis: nothing changed</p>
    `;
  return html`
    <details class="changes">
      <summary>
        Last analysis: ${found.map((kind) => `${number(last[kind].length)} ${kinds[kind]}`).join(', ')}
      </summary>
      ${found.map(
        (kind) => html`
          <section key=${kind} aria-label=${kinds[kind]}>
            <h3>${kinds[kind]}</h3>
            <ul>
              ${last[kind].map(
                (change) => html`
                  <li key=${change.evidenceId + change.hypothesisId}>
                    <q dir="auto">${change.quote}</q>
                    <p class="meta">
                      <span>${judgements(change)}</span>
                      <span dir="auto">${statement.get(change.hypothesisId) ?? 'a deleted hypothesis'}</span>
                      ${
                        change.kept &&
                        html`
                          <span>${keptText}</span>
                        `
                      }
                    </p>
                  </li>
                `,
              )}
            </ul>
          </section>
        `,
      )}
    </details>
  `;
}
