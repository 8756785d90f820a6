// A quote on the board of themes: its words, who says them, and what it has beside this theme.
import { html, memo } from '../../page/html.js';
import { Tag } from '../../page/ui.js';
import { clock } from '../shared/interviewwords.js';

/**
 * @typedef {object} CardProps
 * @property {Themed} quote
 * @property {string} item
 * @property {number} depth of its theme
 * @property {boolean} selected
 * @property {boolean} picked
 * @property {boolean} suggested nobody has said yet that it belongs to the theme
 * @property {string} also the names of its other themes
 * @property {boolean} canEdit
 * @property {{ current: ThemeBoardActs }} act
 * @property {string} [source] where the quote is from
 */

// Themes are four deep at most.
const depthOf = [0, 1, 2, 3].map((depth) => ({ '--depth': depth }));

// ThemeCard is rendered only when it changes. It has few elements, because the board has many cards: what can
// be done with a quote is in the bar below the board.
export const ThemeCard = memo(
  /** @param {CardProps} props */
  ({ quote, item, depth, selected, picked, suggested, also, canEdit, act, source = sourceOf(quote) }) => html`
    <article
      ref=${(/** @type {HTMLElement | null} */ card) => act.current.ref(item, card)}
      class=${`theme-card${selected ? ' selected' : ''}${picked ? ' picked' : ''}`}
      style=${depthOf[depth]}
      data-item=${item}
      tabindex=${selected ? 0 : -1}
      aria-label=${`${quote.speaker || 'Nobody named'}: ${quote.quote.slice(0, 120)}`}
      aria-current=${selected ? 'true' : undefined}
      draggable=${canEdit}
      onClick=${() => act.current.select(item)}
      onFocusIn=${() => act.current.select(item)}
    >
      <blockquote dir="auto">${quote.quote}</blockquote>
      <p class="meta">
        ${
          canEdit &&
          html`
            <input
              type="checkbox"
              class="pick"
              tabindex="-1"
              checked=${picked}
              aria-label="Select"
              title="Select (x)"
              onClick=${(/** @type {MouseEvent} */ event) => act.current.pick(item, event.shiftKey)}
            />
          `
        }
        <b dir="auto">${quote.speaker || 'nobody named'}</b>
        ${
          source &&
          html`
            <span class="source" dir="auto">${source}</span>
          `
        }
        ${
          suggested &&
          html`
            <${Tag} kind="warn" title="The AI model put it here. Move it or take it out if that is wrong.">
              suggested
            <//>
          `
        }
        ${
          !quote.counts &&
          html`
            <${Tag} title=${whyNot(quote)}>does not count<//>
          `
        }
        ${
          quote.noted &&
          html`
            <${Tag} title="Memo or comments (e)">notes<//>
          `
        }
        ${
          also &&
          html`
            <span class="also" dir="auto" title="Its other themes">also: ${also}</span>
          `
        }
      </p>
    </article>
  `,
);

// sourceOf says where a quote is from. Many interviews have the name of their person.
/** @param {Themed} quote */
const sourceOf = ({ title, speaker, startMs }) =>
  [title !== speaker && title, clock(startMs)].filter(Boolean).join(' · ');

// whyNot says why a quote counts for nobody.
/** @param {Themed} quote */
const whyNot = ({ confirmed, person }) =>
  !confirmed
    ? 'Nobody has confirmed who says this.'
    : person
      ? 'The interview is still being read.'
      : 'These are not the words of a participant.';
