// The list of the keyboard shortcuts of a view.
import { html } from '../../page/html.js';
import { Dialog } from '../../page/dialog.js';

/** @param {{ keys: Record<string, string>, onClose: () => void }} props what each key does */
export const KeysList = ({ keys, onClose }) => html`
  <${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
    <dl class="keys">
      ${Object.entries(keys).map(
        ([key, text]) => html`
          <div key=${key}>
            <dt><kbd>${key}</kbd></dt>
            <dd>${text}</dd>
          </div>
        `,
      )}
    </dl>
  <//>
`;
