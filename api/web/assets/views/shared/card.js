// A piece of evidence, as shown on the board and beside the transcript, and its actions.
import { html, useState } from '../../page/html.js';
import { session } from '../../client/session.js';
import { clock } from './interviewwords.js';
import { Asked } from './asked.js';
import { capped, reviews, strengths } from './evidencewords.js';
import { History } from './history.js';
import { Exceptions, Provenance } from './provenance.js';
import { Tag } from '../../page/ui.js';
import { NotesButton, QuoteNotes } from '../comments/button.js';
import { ThemeButton, ThemeChips } from './themechips.js';

/** @param {{ value: Strength, why: string }} props */
const StrengthTag = ({ value, why }) => html`
  <span class=${`strength ${value}`} title=${why || `${strengths[value]} evidence`}>${strengths[value]}</span>
`;

// otherReviewer returns the name of the other person who judged a quote, or nothing.
/** @param {EvidenceRow} evidence */
const otherReviewer = ({ review, reviewer }) =>
  review !== 'suggested' && reviewer && reviewer.id !== session.get().user?.id && reviewer.display_name;

// place returns the address of a quote in its interview, or null if it has none.
/** @param {EvidenceRow} e */
export function place(e) {
  return e.import_id && e.byte_start !== null
    ? `/imports/${e.import_id}?e=${e.id}`
    : e.import_id
      ? `/imports/${e.import_id}`
      : null;
}

// Facts are who said a quote, when and where, and what is unusual about it. With more, the card says below
// where the quote comes from.
/**
 * @param {object} props
 * @param {EvidenceRow & Partial<EvidenceLink>} props.e
 * @param {Strength} [props.strength]
 * @param {string} [props.source]
 * @param {boolean} [props.chosen]
 * @param {boolean} props.more
 */
function Facts({ e, strength, source, chosen, more }) {
  const judgedBy = otherReviewer(e);
  return html`
    <p class="meta">
      ${
        e.speaker &&
        html`
          <b dir="auto">${e.speaker}</b>
        `
      }
      ${
        e.start_ms !== null &&
        html`
          <span class="time">${clock(e.start_ms)}</span>
        `
      }
      ${
        source &&
        html`
          <span dir="auto" class="source">${source}</span>
        `
      }
      ${
        strength &&
        html`
          <${StrengthTag} value=${strength} why=${capped(e)} />
        `
      }
      ${
        chosen &&
        html`
          <${Tag} kind="chosen" title="In findings">
            ★
            <span class="unseen">in findings</span>
          <//>
        `
      }
      ${
        !more &&
        html`
          <${Exceptions} evidence=${e} />
        `
      }
      <span class=${judgedBy ? 'judged' : 'unseen'} dir="auto">
        ${judgedBy ? `${reviews[e.review]} by ${judgedBy}` : reviews[e.review]}
      </span>
    </p>
  `;
}

// Why explains a quote: the reason for its stance, and where it comes from.
/**
 * @param {object} props
 * @param {EvidenceRow & Partial<EvidenceLink & LinkedEvidence>} props.e
 * @param {import('./history.js').UndoTo} [props.onUndo]
 */
const Why = ({ e, onUndo }) => html`
  <div class="why">
    ${
      e.rationale &&
      html`
        <p dir="auto">${e.rationale}</p>
      `
    }
    <p class="meta"><${Provenance} evidence=${e} /></p>
    <${Asked} e=${e} />
    <${History} row=${e} hypothesisId=${e.hypothesis_id} onUndo=${onUndo} />
  </div>
`;

// Verdicts are the buttons that judge a quote. Pressing one again takes the judgement back.
/** @param {{ review: ReviewState, onReview: (review: ReviewState) => void }} props */
function Verdicts({ review, onReview }) {
  /** @param {ReviewState} verdict */
  const toggle = (verdict) => () => onReview(review === verdict ? 'suggested' : verdict);
  return html`
    <button
      class=${'small icon-check' + (review === 'accepted' ? ' on' : '')}
      title="Accept (a)"
      aria-pressed=${review === 'accepted'}
      onClick=${toggle('accepted')}
    >
      Accept
    </button>
    <button
      class=${'small icon-cross' + (review === 'rejected' ? ' on' : '')}
      title="Reject (r)"
      aria-pressed=${review === 'rejected'}
      onClick=${toggle('rejected')}
    >
      Reject
    </button>
  `;
}

/**
 * @typedef {object} Actions what can be done with a quote
 * @property {(review: ReviewState) => void} onReview
 * @property {() => void} [onOpen] shows the quote in the transcript, which is beside the card
 * @property {() => void} [onEdit]
 * @property {() => void} [onConfirm] confirms who says it
 * @property {(upTo: boolean) => void} [onPick] selects the quote, to judge several at once
 * @property {() => void} [onChoose] puts the quote in the findings, or takes it out
 * @property {(links: QuoteTheme[]) => void} [onThemes] shows the themes that the quote has now
 * @property {(noted: Noted) => void} [onNoted] shows what is written about it now
 * @property {import('./history.js').UndoTo} [onUndo] takes back what the history shows; else only reviews are
 */

/**
 * @param {object} props
 * @param {EvidenceRow} props.e
 * @param {boolean} props.canEdit
 * @param {boolean} [props.chosen]
 * @param {boolean} props.more
 * @param {() => void} props.onMore
 * @param {false | (() => void)} props.onNotes
 * @param {Actions} props.actions
 */
function Buttons({ e, canEdit, chosen, more, onMore, onNotes, actions }) {
  const { onReview, onOpen, onEdit, onConfirm, onChoose, onThemes } = actions;
  const where = place(e);
  return html`
    <div class="do">
      ${
        canEdit &&
        html`
          <${Verdicts} review=${e.review} onReview=${onReview} />
        `
      }
      ${
        canEdit &&
        onConfirm &&
        !e.speaker_confirmed &&
        html`
          <button
            class="small"
            title=${`These are the words of ${e.speaker || 'nobody who is named'}`}
            onClick=${onConfirm}
          >
            Confirm the speaker
          </button>
        `
      }
      ${
        onOpen &&
        html`
          <button class="small" onClick=${onOpen}>Show</button>
        `
      }
      ${
        !onOpen &&
        where &&
        html`
          <a
            class="button small icon icon-open"
            href=${where}
            aria-label="Open the transcript at this quote"
            title="Open the transcript (Enter)"
          ></a>
        `
      }
      ${
        canEdit &&
        onThemes &&
        html`
          <${ThemeButton} e=${e} class="small icon icon-theme" onThemes=${onThemes} />
        `
      }
      ${
        onNotes &&
        html`
          <${NotesButton} e=${e} class="small icon icon-notes" onOpen=${onNotes} />
        `
      }
      <button
        class="small icon icon-why"
        aria-label="Why"
        title="Why, and where it comes from"
        aria-expanded=${more}
        onClick=${onMore}
      ></button>
      ${
        canEdit &&
        onEdit &&
        html`
          <button class="small icon icon-edit" aria-label="Edit" title="Edit (e)" onClick=${onEdit}></button>
        `
      }
      ${
        canEdit &&
        onChoose &&
        html`
          <button
            class=${'small icon choose' + (chosen ? ' on' : '')}
            aria-label="In findings"
            title="Put in the findings (f)"
            aria-pressed=${chosen}
            onClick=${onChoose}
          >
            ★
          </button>
        `
      }
    </div>
  `;
}

/**
 * @typedef {object} Shown what a card shows
 * @property {EvidenceRow} e
 * @property {Strength} [strength]
 * @property {boolean} selected
 * @property {boolean} canEdit
 * @property {string} [source] the title of the interview
 * @property {boolean} [chosen] is it in the findings?
 * @property {boolean} [picked] is it selected, to be judged with others?
 * @property {Children} [children]
 * @property {(card: HTMLElement | null) => void} [cardRef]
 * @property {() => void} onSelect
 */

// Card shows evidence e. The children are placed below the quote. A card keeps its height when it is
// selected, so that its buttons stay below the pointer. It has few elements, because boards have many cards:
// its icons are in the style sheet.
/** @param {Shown & Actions} props */
export function Card({
  e,
  strength,
  selected,
  canEdit,
  source,
  chosen,
  picked = false,
  children,
  cardRef,
  onSelect,
  ...actions
}) {
  const [more, setMore] = useState(false);
  const [noting, setNoting] = useState(false);
  /** @param {{ review: ReviewState }} to */
  const undoReview = ({ review }) => actions.onReview(review);
  return html`
    <article
      ref=${cardRef}
      class=${`evidence ${e.review}${selected ? ' selected' : ''}`}
      data-evidence-card=${e.id}
      tabindex=${selected ? 0 : -1}
      aria-label=${`${reviews[e.review]}: ${e.quote.slice(0, 120)}`}
      aria-current=${selected ? 'true' : undefined}
      onClick=${onSelect}
      onFocusIn=${onSelect}
    >
      <blockquote dir="auto">${e.quote}</blockquote>
      ${children}
      ${
        actions.onThemes &&
        html`
          <${ThemeChips} e=${e} canEdit=${canEdit} onThemes=${actions.onThemes} />
        `
      }
      ${
        (more || e.edited_at || e.origin === 'human') &&
        e.summary &&
        html`
          <p class="summary" dir="auto">${e.summary}</p>
        `
      }
      ${
        actions.onPick &&
        html`
          <input
            type="checkbox"
            class="pick"
            tabindex="-1"
            checked=${picked}
            aria-label="Select"
            title="Select (x)"
            onClick=${(/** @type {MouseEvent} */ event) => actions.onPick?.(event.shiftKey)}
          />
        `
      }
      <${Facts} e=${e} strength=${strength} source=${source} chosen=${chosen} more=${more} />
      ${
        more &&
        html`
          <${Why} e=${e} onUndo=${canEdit ? (actions.onUndo ?? undoReview) : undefined} />
        `
      }
      <${Buttons}
        e=${e}
        canEdit=${canEdit}
        chosen=${chosen}
        more=${more}
        onMore=${() => setMore(!more)}
        onNotes=${!!actions.onNoted && (() => setNoting(true))}
        actions=${actions}
      />
      ${
        noting &&
        actions.onNoted &&
        html`
          <${QuoteNotes} e=${e} onNoted=${actions.onNoted} onClose=${() => setNoting(false)} />
        `
      }
    </article>
  `;
}
