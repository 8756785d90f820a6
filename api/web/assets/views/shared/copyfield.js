// A text to copy. With focus, it takes the focus when it appears.
import { html, useLayoutEffect, useRef } from '../../page/html.js';
import { Field } from '../../page/form.js';
import { toast } from '../../page/messages.js';

/** @param {{ label: string, hint?: string, value: string, focus?: boolean }} props */
export function CopyField({ label, hint, value, focus = false }) {
  /** @type {Ref<HTMLInputElement>} */
  const field = useRef();
  useLayoutEffect(() => {
    if (focus) field.current.focus(); // which selects the text
  }, []);
  async function copy() {
    field.current.select();
    try {
      await navigator.clipboard.writeText(value);
      toast('Copied.');
    } catch {
      toast('Press Ctrl C to copy what is selected.');
    }
  }
  return html`
    <div class="copied">
      <${Field} label=${label} hint=${hint}>
        ${(/** @type {Control} */ p) => html`
          <input ...${p} readonly ref=${field} value=${value} onFocus=${(e) => e.target.select()} />
        `}
      <//>
      <button type="button" aria-label=${`Copy: ${label}`} onClick=${copy}>Copy</button>
    </div>
  `;
}
