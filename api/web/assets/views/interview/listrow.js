// An interview in the list: what it is, how its analysis goes, and what can be done with it.
import { html } from '../../page/html.js';
import { running, startable } from '../shared/interviewwords.js';
import { Ongoing } from './ongoing.js';
import { About, Outcome, StatusTag } from './facts.js';
import { Manage } from './manage.js';

/** @param {Interview} row */
const verb = (row) => (row.status === 'uploaded' ? 'Find evidence in' : 'Try again');

// Row shows an interview. cancelling says that its analysis is being cancelled. onChoose asks for which
// hypotheses to find evidence, and onChange shows other rows in the place of this one.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Interview} props.row
 * @param {Overview | undefined} props.overview
 * @param {NameOf} props.nameOf
 * @param {boolean} props.cancelling
 * @param {boolean | null} props.chosen null if interviews cannot be chosen
 * @param {(through: boolean) => void} props.onToggle
 * @param {() => void} props.onStop
 * @param {() => void} props.onChoose
 * @param {StartAnalysis} props.onAnalyse
 * @param {() => void} props.onSpeakers
 * @param {() => void} props.onRedacted
 * @param {(now: Interview[]) => void} props.onChange
 */
export function Row({ context, row, overview, nameOf, cancelling, chosen, onToggle, ...actions }) {
  const persona = context.personas.find(({ id }) => id === row.persona_id);
  return html`
    <div class="what">
      ${
        chosen !== null &&
        html`
          <input
            type="checkbox"
            class="choose"
            aria-label=${`Select ${row.title}`}
            checked=${chosen}
            onClick=${(e) => onToggle(e.shiftKey)}
          />
        `
      }
      <a class="statement" href=${`/imports/${row.id}`} dir="auto">${row.title}</a>
      <${About} row=${row} overview=${overview} nameOf=${nameOf} />
      ${
        row.persona_id &&
        html`
          <p class="meta"><span dir="auto">${persona?.name}</span></p>
        `
      }
      <${Outcome} row=${row} />
    </div>
    <div class="state">
      ${
        running(row.status)
          ? html`
              <${Ongoing} row=${row} cancelling=${cancelling} />
            `
          : html`
              <${StatusTag} row=${row} />
            `
      }
    </div>
    <div class="verdict">
      <${Actions} context=${context} row=${row} cancelling=${cancelling} ...${actions} />
    </div>
  `;
}

/** @param {Omit<Parameters<typeof Row>[0], 'overview' | 'nameOf' | 'chosen' | 'onToggle'>} props */
function Actions({
  context,
  row,
  cancelling,
  onStop,
  onChoose,
  onAnalyse,
  onSpeakers,
  onRedacted,
  onChange,
}) {
  return html`
    ${
      context.canEdit &&
      running(row.status) &&
      html`
        <button disabled=${cancelling} aria-label=${`Cancel ${row.title}`} onClick=${onStop}>Cancel</button>
      `
    }
    ${
      context.canEdit &&
      startable(row.status) &&
      html`
        <button aria-label=${`${verb(row)}: ${row.title}`} onClick=${onChoose}>
          ${row.status === 'uploaded' ? 'Find evidence' : 'Try again'}
        </button>
      `
    }
    ${
      row.status === 'parsed' &&
      row.evidence_count > 0 &&
      html`
        <a
          class="button"
          href=${`/projects/${context.id}/evidence?import=${row.id}`}
          aria-label=${`Evidence in ${row.title}`}
        >
          Evidence
        </a>
      `
    }
    ${
      context.canEdit &&
      html`
        <${Manage}
          context=${context}
          row=${row}
          onSaved=${(/** @type {Interview} */ saved) => onChange([saved])}
          onSpeakers=${onSpeakers}
          onAnalyse=${onAnalyse}
          onRedacted=${onRedacted}
          onDeleted=${() => {
            onChange([]);
            requestAnimationFrame(focusHeading); // when the dialog is closed
          }}
        />
      `
    }
  `;
}

function focusHeading() {
  /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus();
}
