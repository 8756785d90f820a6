// Dialogs.
import { html, useId, useLayoutEffect, useRef } from './html.js';

// Dialog uses the dialog element of the browser, which keeps the focus inside, closes on Escape and returns
// the focus. A click beside it closes it as well, unless keep says that it shows what is not shown again.
/**
 * @param {object} props
 * @param {string} props.title
 * @param {() => void} props.onClose
 * @param {Children} props.children
 * @param {boolean} [props.wide]
 * @param {boolean} [props.keep]
 */
export function Dialog({ title, onClose, children, wide = false, keep = false }) {
  /** @type {Ref<HTMLDialogElement>} */
  const ref = useRef();
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog.showModal();
    /** @type {HTMLElement | null} */ (
      dialog.querySelector(
        '.inside > :not(header) :is(input:not([type=radio]), input:checked, select, textarea)',
      )
    )?.focus(); // instead of the close button
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return html`
    <dialog
      ref=${ref}
      class=${wide ? 'wide' : ''}
      aria-labelledby=${id}
      onCancel=${(e) => {
        e.preventDefault();
        onClose();
      }}
      onMouseDown=${(/** @type {MouseEvent} */ e) => {
        if (!keep && e.target === ref.current && isBeside(ref.current, e)) onClose();
      }}
    >
      <div class="inside">
        <header>
          <h2 id=${id}>${title}</h2>
          <button class="quiet icon" aria-label="Close" onClick=${onClose}>×</button>
        </header>
        ${children}
      </div>
    </dialog>
  `;
}

export const dialogOpen = () => !!document.querySelector('dialog[open]');

// isBeside reports whether a place is outside a dialog. Its scrollbar is not, although it is no element.
/** @param {HTMLDialogElement} dialog @param {MouseEvent} place */
function isBeside(dialog, { clientX: x, clientY: y }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}
