// The head of a theme on the board: its name, and how many people it has.
import { html, memo } from '../../page/html.js';
import { count } from '../../page/words.js';
import { countsOf, isOneVoice, voices } from './counts.js';
import { loose } from './layout.js';

/**
 * @typedef {object} HeadProps
 * @property {ThemeHead} head
 * @property {boolean} selected
 * @property {boolean} picked
 * @property {boolean} canEdit
 * @property {{ current: ThemeBoardActs }} act
 */

// Head is that of a column or, below it, of a theme within another one.
export const Head = memo(
  /** @param {HeadProps} props */
  ({ head, selected, picked, canEdit, act }) => {
    const { id, theme, depth, all } = head;
    const text = theme?.name ?? 'No theme yet';
    const Level = depth === 0 ? 'h2' : 'h3';
    return html`
      <div
        ref=${(/** @type {HTMLElement | null} */ box) => act.current.ref(id, box)}
        class=${`theme-head${selected ? ' selected' : ''}${picked ? ' picked' : ''}`}
        style=${{ '--theme': theme?.color ?? 'var(--line-strong)', '--depth': depth }}
        data-item=${id}
        role="group"
        tabindex=${selected ? 0 : -1}
        aria-label=${`${text}: ${countsOf(head)}`}
        aria-current=${selected ? 'true' : undefined}
        title=${theme?.description}
        draggable=${canEdit && id !== loose}
        onClick=${() => act.current.select(id)}
        onFocusIn=${() => act.current.select(id)}
      >
        <${Level} id=${`theme-${id}`} dir="auto">${text}<//>
        <p class="meta">
          <span class=${id !== loose && isOneVoice(head) ? 'few' : ''}>${countsOf(head)}</span>
          ${
            all &&
            html`
              <span title="With the themes below it">
                with those below: ${`${voices(all.people)} · ${count(all.quotes, 'quote')}`}
              </span>
            `
          }
          ${theme?.memo && 'memo'}
        </p>
      </div>
    `;
  },
);
