// The themes that are archived: they can be restored, unless they are part of another one now.
import { html } from '../../page/html.js';
import { Dialog } from '../../page/dialog.js';
import { landing } from '../../client/themes.js';

/** @param {ThemeDialogProps} props */
export function Archived({ context, data, acts, onClose }) {
  const all = [...data.themes.values()];
  const archived = all.filter(({ status }) => status === 'archived');
  return html`
    <${Dialog} title="Archived themes" onClose=${onClose}>
      <ul class="archived-themes">
        ${archived.map((theme) => {
          const into = landing(theme, all);
          return html`
            <li key=${theme.id}>
              <span dir="auto">${theme.name}</span>
              ${
                into !== theme
                  ? html`
                      <span class="faint" dir="auto">merged into ${into.name}</span>
                    `
                  : context.canEdit &&
                    html`
                      <button class="small" onClick=${() => acts.restore(theme)}>Restore</button>
                    `
              }
            </li>
          `;
        })}
      </ul>
      ${
        archived.length === 0 &&
        html`
          <p class="faint">No theme is archived.</p>
        `
      }
    <//>
  `;
}
