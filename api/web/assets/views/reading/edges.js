// Where an interview begins and ends in its file.
import { html, useId } from '../../page/html.js';

// Edges lets a person pick the first and the last line of the interview.
/**
 * @param {object} props
 * @param {FileReading['edges']} props.edges
 * @param {Decision} props.decided
 * @param {(decided: Decision) => void} props.onDecide
 */
export const Edges = ({ edges: { head, tail }, decided, onDecide }) => html`
  <details class="edges">
    <summary>Where the interview begins and ends</summary>
    <div class="both">
      <${Lines}
        title="The interview begins at"
        none="The first line"
        lines=${head}
        value=${decided.from ?? ''}
        onPick=${(/** @type {string} */ from) => onDecide({ ...decided, from: from || undefined })}
      />
      <${Lines}
        title="The interview ends at"
        none="The last line"
        lines=${tail}
        value=${decided.to ?? ''}
        onPick=${(/** @type {string} */ to) => onDecide({ ...decided, to: to || undefined })}
      />
    </div>
  </details>
`;

/**
 * @param {object} props
 * @param {string} props.title
 * @param {string} props.none
 * @param {string[]} props.lines
 * @param {string} props.value
 * @param {(line: string) => void} props.onPick
 */
function Lines({ title, none, lines, value, onPick }) {
  const id = useId();
  /** @param {string} line @param {Children} text @param {number} key */
  const pick = (line, text, key) => html`
    <label key=${key}>
      <input type="radio" name=${id} checked=${line === value} onChange=${() => onPick(line)} />
      <span dir="auto">${text}</span>
    </label>
  `;
  return html`
    <fieldset class="radios">
      <legend>${title}</legend>
      ${pick('', none, -1)} ${[...new Set(lines)].filter(Boolean).map((line, i) => pick(line, line, i))}
    </fieldset>
  `;
}
