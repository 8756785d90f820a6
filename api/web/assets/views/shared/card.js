// @ts-check
// A piece of evidence, as shown on the board and beside the transcript, and its actions.
import { html, useState } from '../../page/html.js';
import { session } from '../../client/session.js';
import { clock } from './interviewwords.js';
import { editedBy, matches, origin, reviews, stillReading, strengths } from './evidencewords.js';
import { Tag } from '../../page/ui.js';

export const evidenceColumns =
  'id,import_id,quote,summary,rationale,speaker,start_ms,end_ms,utterance_from,utterance_to,' +
  'byte_start,byte_end,match,confidence,origin,review,reviewed_at,model,created_at,edited_at,in_progress,' +
  'original_quote,original_speaker,reviewer:profiles!evidence_reviewed_by_fkey(id,display_name)';

/** @param {{ value: Strength }} props */
const StrengthTag = ({ value }) => html`
  <span class=${`strength ${value}`} title=${`${strengths[value]} evidence`}>${strengths[value]}</span>
`;

// Provenance shows the origin of a quote and how it was checked.
/** @param {{ evidence: EvidenceRow }} props */
function Provenance({ evidence: e }) {
  const from = origin(e);
  const edit = editedBy(e);
  const match = matches[e.origin === 'human' && e.match !== 'manual' ? 'verbatim' : e.match];
  return html`
    <${Tag} kind=${'origin ' + e.origin} title=${from.long}>${from.short}<//>
    <${Tag} kind=${'match ' + e.match} title=${match.long}>${match.short}<//>
    ${
      edit &&
      html`
        <${Tag} kind="edited" title=${edit.long}>${edit.short}<//>
      `
    }
    ${
      e.in_progress &&
      html`
        <${Tag} kind="reading" title=${stillReading.long}>${stillReading.short}<//>
      `
    }
  `;
}

// Exceptions shows what is unusual about a quote. Most quotes come from a model, word for word.
/** @param {{ evidence: EvidenceRow }} props */
function Exceptions({ evidence: e }) {
  const edit = editedBy(e);
  const all = [
    e.origin !== 'ai' && { ...origin(e), kind: `origin ${e.origin}` },
    e.match !== 'verbatim' && { ...matches[e.match], kind: `match ${e.match}` },
    edit && { ...edit, kind: 'edited' },
    e.in_progress && { ...stillReading, kind: 'reading' },
  ].filter((one) => !!one);
  return all.map(
    ({ short, long, kind }) => html`
      <${Tag} key=${short} kind=${kind} title=${long}>${short}<//>
    `,
  );
}

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

// Card shows evidence e. The children are placed below the quote. A card keeps its height when it is
// selected, so that its buttons stay below the pointer. It has few elements, because boards have many cards:
// its icons are in the style sheet.
/**
 * @param {object} props
 * @param {EvidenceRow} props.e
 * @param {Strength} [props.strength]
 * @param {boolean} props.selected
 * @param {boolean} props.canEdit
 * @param {string} [props.source] the title of the interview
 * @param {() => void} props.onSelect
 * @param {(review: ReviewState) => void} props.onReview
 * @param {() => void} [props.onOpen] shows the quote in the transcript, which is beside the card
 * @param {() => void} [props.onEdit]
 * @param {boolean} [props.chosen] is it in the findings?
 * @param {() => void} [props.onChoose]
 * @param {Children} [props.children]
 * @param {(card: HTMLElement | null) => void} [props.cardRef]
 */
export function Card({
  e,
  strength,
  selected,
  canEdit,
  source,
  onSelect,
  onReview,
  onOpen,
  onEdit,
  chosen,
  onChoose,
  children,
  cardRef,
}) {
  const [more, setMore] = useState(false);
  const where = place(e);
  const judgedBy = otherReviewer(e);
  /** @param {ReviewState} review */
  const toggle = (review) => () => onReview(e.review === review ? 'suggested' : review);
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
        (more || e.edited_at || e.origin === 'human') &&
        e.summary &&
        html`
          <p class="summary" dir="auto">${e.summary}</p>
        `
      }
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
            <${StrengthTag} value=${strength} />
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
      ${
        more &&
        html`
          <div class="why">
            ${
              e.rationale &&
              html`
                <p dir="auto">${e.rationale}</p>
              `
            }
            <p class="meta"><${Provenance} evidence=${e} /></p>
          </div>
        `
      }
      <div class="do">
        ${
          canEdit &&
          html`
            <button
              class=${'small icon-check' + (e.review === 'accepted' ? ' on' : '')}
              title="Accept (a)"
              aria-pressed=${e.review === 'accepted'}
              onClick=${toggle('accepted')}
            >
              Accept
            </button>
            <button
              class=${'small icon-cross' + (e.review === 'rejected' ? ' on' : '')}
              title="Reject (r)"
              aria-pressed=${e.review === 'rejected'}
              onClick=${toggle('rejected')}
            >
              Reject
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
        <button
          class="small icon icon-why"
          aria-label="Why"
          title="Why, and where it comes from"
          aria-expanded=${more}
          onClick=${() => setMore(!more)}
        ></button>
        ${
          canEdit &&
          onEdit &&
          html`
            <button
              class="small icon icon-edit"
              aria-label="Edit"
              title="Edit (e)"
              onClick=${onEdit}
            ></button>
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
    </article>
  `;
}
