// The themes of a quote, where a quote is shown.
import { html, useState } from '../../page/html.js';
import { giveTheme, takeTheme, chosenOf } from './coding.js';
import { ThemePopup } from './themepopup.js';
import { linksOf, useThemes } from './themes.js';

// ThemeChips shows the themes of a quote. Who may edit takes it out of one by ×.
/**
 * @param {object} props
 * @param {CodedQuote} props.e
 * @param {boolean} props.canEdit
 * @param {(links: QuoteTheme[]) => void} props.onThemes
 */
export function ThemeChips({ e, canEdit, onThemes }) {
  const themes = useThemes(e.project_id);
  const links = linksOf(e);
  if (links.length === 0) return null;
  return html`
    <ul class="theme-chips" aria-label="Themes">
      ${links.map(({ theme_id: id, review }) => {
        const theme = themes.byId.get(id);
        if (!theme) return null;
        const suggested = review === 'suggested';
        return html`
          <li key=${id} class=${suggested ? 'suggested' : ''} style=${{ '--theme': theme.color }}>
            <a
              dir="auto"
              href=${`/projects/${e.project_id}/themes?at=${id}`}
              title=${suggested ? 'Suggested, not reviewed' : theme.description || undefined}
            >
              ${theme.name}${
                suggested &&
                html`
                  <span class="unseen">${' '}(suggested)</span>
                `
              }
            </a>
            ${
              canEdit &&
              html`
                <button
                  class="quiet"
                  aria-label=${`Take out of ${theme.name}`}
                  onClick=${(/** @type {Event} */ event) => {
                    event.stopPropagation();
                    takeTheme(e, theme, onThemes);
                  }}
                >
                  ×
                </button>
              `
            }
          </li>
        `;
      })}
    </ul>
  `;
}

// ThemeButton opens the picker of a theme for a quote. The key T presses it.
/**
 * @param {object} props
 * @param {CodedQuote} props.e
 * @param {(links: QuoteTheme[]) => void} props.onThemes
 * @param {string} [props.class]
 */
export function ThemeButton({ e, onThemes, class: className = 'small' }) {
  const [open, setOpen] = useState(false);
  return html`
    <span class="theme-opener">
      <button
        type="button"
        class=${`theme-button ${className}`}
        aria-label="Theme"
        title="Theme (t)"
        aria-haspopup="dialog"
        aria-expanded=${open}
        onClick=${(/** @type {Event} */ event) => {
          event.stopPropagation();
          setOpen(true);
        }}
      >
        ${!className.includes('icon') && 'Theme'}
      </button>
      ${
        open &&
        html`
          <${Opened} e=${e} onThemes=${onThemes} onClose=${() => setOpen(false)} />
        `
      }
    </span>
  `;
}

/**
 * @param {object} props
 * @param {CodedQuote} props.e
 * @param {(links: QuoteTheme[]) => void} props.onThemes
 * @param {() => void} props.onClose
 */
function Opened({ e, onThemes, onClose }) {
  const themes = useThemes(e.project_id);
  const chosen = chosenOf(e);
  return html`
    <${ThemePopup}
      project=${e.project_id}
      themes=${themes}
      chosen=${chosen}
      onPick=${(/** @type {import('./coding.js').Wanted} */ wanted) =>
        'theme' in wanted && chosen.has(wanted.theme.id)
          ? takeTheme(e, wanted.theme, onThemes)
          : giveTheme(e, wanted, themes, onThemes)}
      onClose=${onClose}
    />
  `;
}

// pressTheme opens the picker of the quote that a box shows, and pressNotes its memo and comments.
/** @param {Element | null | undefined} box */
export const pressTheme = (box) => press(box, '.theme-button');
/** @param {Element | null | undefined} box */
export const pressNotes = (box) => press(box, '.notes-button');

// press has the focus return to the box, if it can have it.
/** @param {Element | null | undefined} box @param {string} selector */
function press(box, selector) {
  if (box instanceof HTMLElement && box.tabIndex >= 0) box.focus({ preventScroll: true });
  /** @type {HTMLElement | null | undefined} */ (box?.querySelector(selector))?.click();
}
