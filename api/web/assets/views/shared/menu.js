// A menu of actions, opened by a button.
import { html, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { Icon } from '../../page/icons.js';

// Menu shows items. When one is chosen, the focus returns to the button, so that a dialog that act opens
// returns it there too.
/** @param {{ label: string, items: { text: string, act: () => void, danger?: boolean }[] }} props */
export function Menu({ label, items }) {
  const [open, setOpen] = useState(false);
  /** @type {Ref<HTMLButtonElement>} */
  const button = useRef();
  /** @type {Ref<HTMLUListElement>} */
  const list = useRef();
  // At once, because it would take the focus from a dialog that is opened a moment later.
  useLayoutEffect(() => {
    if (open) list.current.querySelector('button')?.focus();
  }, [open]);
  function close() {
    button.current.focus();
    setOpen(false);
  }
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    event.stopPropagation(); // the keys of the view
    const buttons = [...list.current.querySelectorAll('button')];
    const at = buttons.findIndex((one) => one === document.activeElement);
    /** @type {Record<string, number | undefined>} */
    const places = {
      ArrowDown: (at + 1) % buttons.length,
      ArrowUp: (at - 1 + buttons.length) % buttons.length,
      Home: 0,
      End: buttons.length - 1,
    };
    const to = places[event.key];
    if (to !== undefined) buttons[to].focus();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  }
  return html`
    <div
      class="menu"
      onFocusOut=${(e) => {
        if (!e.currentTarget.contains(e.relatedTarget)) setOpen(false);
      }}
    >
      <button
        ref=${button}
        class="quiet icon"
        aria-label=${label}
        aria-haspopup="menu"
        aria-expanded=${open}
        onClick=${() => setOpen(!open)}
      >
        <${Icon} name="more" />
      </button>
      ${
        open &&
        html`
          <ul role="menu" aria-label=${label} ref=${list} onKeyDown=${onKeyDown}>
            ${items.map(
              ({ text, act, danger }) => html`
                <li key=${text} role="none">
                  <button
                    role="menuitem"
                    tabindex="-1"
                    class=${danger ? 'danger' : 'quiet'}
                    onClick=${() => {
                      close();
                      act();
                    }}
                  >
                    ${text}
                  </button>
                </li>
              `,
            )}
          </ul>
        `
      }
    </div>
  `;
}
