// The dialog that asks for which hypotheses to find evidence.
import { html, useState } from '../../page/html.js';
import { asError, sentence } from '../../client/http.js';
import { date } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Estimate } from './estimate.js';

/** @type {Map<string, string | null>} */
const nothingChecked = new Map();

// What an analysis from scratch changes.
const scratch = html`
  <p>
    The whole transcript is analysed again for the chosen hypotheses. Stored answers of the same model about
    the same words and hypotheses are used again: they need no calls.
  </p>
  <dl class="consequences">
    <dt>Stays</dt>
    <dd>Quotes that a person added, accepted, rejected or edited, and their stances. The transcript.</dd>
    <dt>Changes</dt>
    <dd>
      Quotes that nobody reviewed: new ones are added, stances and strengths may change, and what is no longer
      found is deleted. “Last analysis” lists the differences.
    </dd>
  </dl>
`;

// ChooseHypotheses asks for which hypotheses to find evidence in the interviews with these ids, and marks
// those that were checked. checked has the times, by the ids of hypotheses. With refresh, these are read
// again. The proposed ones are chosen at first; without any, those that refresh asks for.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {string} props.title
 * @param {string[]} props.ids
 * @param {Map<string, string | null>} [props.checked]
 * @param {string[]} [props.proposed]
 * @param {boolean} [props.refresh]
 * @param {(hypothesisIds: string[]) => Promise<void>} props.onStart
 * @param {() => void} props.onClose
 * @param {string} props.submit
 */
export function ChooseHypotheses({
  context,
  title,
  ids,
  checked = nothingChecked,
  proposed,
  refresh = false,
  onStart,
  onClose,
  submit,
}) {
  const [chosen, setChosen] = useState(() => {
    const first = context.hypotheses.filter((h) =>
      proposed ? proposed.includes(h.id) : h.status !== 'parked' && checked.has(h.id) === refresh,
    );
    return new Set(first.slice(0, 100).map((h) => h.id));
  });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const read = !refresh && context.hypotheses.every((h) => checked.has(h.id));
  const nothing = !refresh && chosen.size > 0 && [...chosen].every((id) => checked.has(id));
  const toggle = (/** @type {string} */ id) =>
    setChosen((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  async function start() {
    setBusy(true);
    setError(null);
    try {
      await onStart([...chosen]);
      onClose();
    } catch (e) {
      setError(asError(e));
      setBusy(false);
    }
  }
  return html`
    <${Dialog} title=${title} onClose=${onClose} wide>
      ${
        context.hypotheses.length === 0
          ? html`
              <p>
                There are no hypotheses yet. To have something to find evidence for,${' '}
                <a href=${`/projects/${context.id}`} onClick=${onClose}>write a hypothesis</a>
                ${' '}first.
              </p>
            `
          : html`
              ${refresh && scratch}
              <fieldset class="pick">
                <legend>Find evidence for and against</legend>
                <p class="row-actions">
                  <button
                    class="link"
                    onClick=${() => setChosen(new Set(context.hypotheses.slice(0, 100).map((h) => h.id)))}
                  >
                    All
                  </button>
                  <button class="link" onClick=${() => setChosen(new Set())}>None</button>
                </p>
                <ul>
                  ${context.hypotheses.map(
                    (h) => html`
                      <li key=${h.id}>
                        <label>
                          <input type="checkbox" checked=${chosen.has(h.id)} onChange=${() => toggle(h.id)} />
                          <span dir="auto">${h.statement}</span>
                          ${
                            checked.has(h.id) &&
                            html`
                              <span class="faint">checked ${date(checked.get(h.id))}</span>
                            `
                          }
                        </label>
                      </li>
                    `,
                  )}
                </ul>
              </fieldset>
              ${
                chosen.size > 100 &&
                html`
                  <p class="wrong" role="alert">Choose at most 100 hypotheses.</p>
                `
              }
              ${
                error &&
                html`
                  <p class="wrong" role="alert" dir="auto">${sentence(error)}</p>
                `
              }
              ${
                (read || nothing) &&
                html`
                  <p class="note" role="status">
                    ${`This interview was read for ${
                      read ? 'all hypotheses' : 'each chosen hypothesis'
                    }, as worded now: there is nothing to analyse. To have it read again, choose `}
                    <b>Analyse from scratch</b>
                    ${' '}in its menu (⋯).
                  </p>
                `
              }
              <${Estimate}
                requests=${nothing ? [] : ids.map((id) => ({ id, hypothesisIds: [...chosen] }))}
                refresh=${refresh}
              />
              <div class="actions">
                <button onClick=${onClose}>Cancel</button>
                <button
                  class="primary"
                  disabled=${busy || nothing || chosen.size === 0 || chosen.size > 100}
                  onClick=${start}
                >
                  ${submit}
                </button>
              </div>
            `
      }
    <//>
  `;
}
