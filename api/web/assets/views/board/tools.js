// The filters of a board, and what can be done with it.
import { html, useMemo } from '../../page/html.js';
import { number } from '../../page/words.js';
import { Icon } from '../../page/icons.js';
import { Presence } from '../judging/presence.js';
import { Saving } from '../judging/saving.js';
import { Filters } from './filters.js';

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {string} props.hypothesisId
 * @param {BoardFilters} props.want
 * @param {BoardImport[]} props.imports
 * @param {Quote[]} props.rows
 * @param {number} props.judged the number of judgements in this view
 * @param {number} props.chosen the number of quotes in the findings
 * @param {() => void} props.onReview runs before another filter of reviews is set
 * @param {(dialog: 'add' | 'export' | 'keys') => void} props.onOpen
 */
export function Tools({ context, hypothesisId, want, imports, rows, judged, chosen, onReview, onOpen }) {
  const { canEdit } = context;
  const speakers = useMemo(() => [...new Set(rows.map((row) => row.speaker).filter(Boolean))].sort(), [rows]);
  const toReview = rows.filter((row) => row.review === 'suggested').length;
  return html`
    <div class="filters" role="group" aria-label="Filter">
      <${Filters}
        want=${want}
        imports=${imports}
        speakers=${speakers}
        personas=${context.personas}
        onReview=${onReview}
      />
      <div class="tasks">
        <${Presence} projectId=${context.id} place="evidence" />
        <${Saving} judged=${judged} />
        ${
          canEdit &&
          html`
            <button class="quiet" onClick=${() => onOpen('add')}>
              <${Icon} name="plus" />
              Add by hand
            </button>
          `
        }
        <a class="button quiet" href=${`/projects/${context.id}/findings?h=${hypothesisId}`}>
          Findings
          <span class="faint">${chosen || ''}</span>
        </a>
        <button class="quiet" onClick=${() => onOpen('export')}>
          <${Icon} name="download" />
          Export
        </button>
        <button
          class="quiet icon keys-button"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick=${() => onOpen('keys')}
        >
          <${Icon} name="keyboard" />
        </button>
        ${
          canEdit &&
          toReview > 0 &&
          html`
            <a class="button primary" href=${`/projects/${context.id}/review?h=${hypothesisId}`}>
              Review ${number(toReview)}
            </a>
          `
        }
      </div>
    </div>
  `;
}
