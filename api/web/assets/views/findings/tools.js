// The controls above findings: which hypothesis is shown, with or without names, and how to keep what is
// shown.
import { html } from '../../page/html.js';
import { setQuery } from '../../page/router.js';
import { Choice } from '../../page/form.js';
import { SaveAs } from '../export/saveas.js';

/** @typedef {import('../export/saveas.js').Shown} Shown */

// FindingsTools are the controls. There is a choice of a hypothesis only with a value. shown() returns what
// Save as writes: the parts of the name of its file, the number of quotes, and the document; ready says that
// it can. More controls are the children.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {string} [props.value]
 * @param {boolean} props.withNames
 * @param {boolean} props.ready
 * @param {() => Shown | undefined} props.shown
 * @param {Children} [props.children]
 */
export function FindingsTools({ context, value, withNames, ready, shown, children }) {
  const options = context.hypotheses.map((h) => [h.id, h.statement]);
  return html`
    <div class="filters" role="group" aria-label=${value ? 'Findings' : 'Report'}>
      ${
        value &&
        html`
          <${Choice}
            label="Hypothesis"
            value=${value}
            options=${Object.fromEntries(options)}
            onChange=${(h) => setQuery({ h })}
          />
        `
      }
      <label class="check">
        <input
          type="checkbox"
          checked=${withNames}
          onChange=${(e) => setQuery({ names: e.currentTarget.checked ? null : 'no' })}
        />
        Names
      </label>
      <div class="tasks">
        <button class="quiet" disabled=${!ready} onClick=${() => window.print()}>Print or PDF</button>
        <${SaveAs} context=${context} ready=${ready} shown=${shown} />
        ${children}
      </div>
    </div>
  `;
}
