// The picker of a theme, beside the button that opens it. It is above everything else, also above dialogs.
import { html, useLayoutEffect, useRef } from '../../page/html.js';
import { Loading, Problem } from '../../page/ui.js';
import { asError } from '../../client/http.js';
import { placeBeside } from './beside.js';
import { ThemePicker } from './themepicker.js';

// ThemePopup asks for a theme of a quote. When it closes, the focus returns to where it was.
/**
 * @param {object} props
 * @param {string} props.project
 * @param {import('./coding.js').Themes} props.themes
 * @param {Set<string>} props.chosen
 * @param {(wanted: import('./coding.js').Wanted) => void} props.onPick
 * @param {() => void} props.onClose
 * @param {Element | null} [props.anchor] what it is beside, if not what it is in
 */
export function ThemePopup({ project, themes, chosen, onPick, onClose, anchor }) {
  /** @type {Ref<HTMLElement>} */
  const ref = useRef();
  useLayoutEffect(() => {
    const before = document.activeElement;
    const box = ref.current;
    box.showPopover();
    box.querySelector('input')?.focus({ preventScroll: true }); // before the next key
    return () => {
      const inside = box.contains(document.activeElement) || document.activeElement === document.body;
      if (inside && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
  }, []);
  useLayoutEffect(() => {
    const beside = anchor ?? ref.current.parentElement ?? ref.current;
    placeBeside(ref.current, beside.getBoundingClientRect());
  });
  /** @param {import('./coding.js').Wanted} wanted */
  function pick(wanted) {
    onClose();
    onPick(wanted);
  }
  return html`
    <div
      ref=${ref}
      popover="auto"
      class="theme-popup"
      role="dialog"
      aria-label="Theme"
      onToggle=${(/** @type {ToggleEvent} */ e) => e.newState === 'closed' && onClose()}
      onClick=${(/** @type {Event} */ e) => e.stopPropagation()}
      onKeyDown=${(/** @type {Event} */ e) => e.stopPropagation()}
    >
      ${
        themes.error && !themes.loaded
          ? html`
              <${Problem} error=${asError(themes.error)} retry=${themes.reload} />
            `
          : html`
              <${ThemePicker}
                project=${project}
                themes=${themes.themes}
                chosen=${chosen}
                ready=${themes.loaded}
                onChoose=${(/** @type {Theme} */ theme) => pick({ theme })}
                onNew=${(/** @type {string} */ name) => pick({ name })}
                onClose=${onClose}
              />
              ${
                !themes.loaded &&
                html`
                  <${Loading} />
                `
              }
            `
      }
    </div>
  `;
}
