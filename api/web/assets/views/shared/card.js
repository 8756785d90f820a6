// A piece of evidence, as shown on the board and beside the transcript, and its actions.
import { html, useState } from '../../page/html.js';
import { insert, remove, update, upsert } from '../../client/api.js';
import { removeLater } from './deletion.js';
import { session } from '../../client/session.js';
import { clock } from './interviewwords.js';
import {
  editedBy,
  matches,
  origin,
  reviews,
  stanceMarks,
  stanceVerbs,
  stillReading,
  strengths,
} from './evidencewords.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options } from '../../page/form.js';
import { Tag } from '../../page/ui.js';

export const evidenceColumns =
  'id,import_id,quote,summary,rationale,speaker,start_ms,end_ms,utterance_from,utterance_to,' +
  'byte_start,byte_end,match,confidence,origin,review,reviewed_at,model,created_at,edited_at,in_progress,' +
  'original_quote,original_speaker,reviewer:profiles!evidence_reviewed_by_fkey(id,display_name)';

const Strength = ({ value }) => html`
  <span class=${`strength ${value}`} title=${`${strengths[value]} evidence`}>${strengths[value]}</span>
`;

// Provenance shows the origin of a quote and how it was checked.
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
function Exceptions({ evidence: e }) {
  const edit = editedBy(e);
  const all = [
    e.origin !== 'ai' && { ...origin(e), kind: `origin ${e.origin}` },
    e.match !== 'verbatim' && { ...matches[e.match], kind: `match ${e.match}` },
    edit && { ...edit, kind: 'edited' },
    e.in_progress && { ...stillReading, kind: 'reading' },
  ].filter(Boolean);
  return all.map(
    ({ short, long, kind }) => html`
      <${Tag} key=${short} kind=${kind} title=${long}>${short}<//>
    `,
  );
}

// otherReviewer returns the name of the other person who judged a quote, or nothing.
const otherReviewer = ({ review, reviewer }) =>
  review !== 'suggested' && reviewer && reviewer.id !== session.get().user?.id && reviewer.display_name;

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
            <${Strength} value=${strength} />
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

// StancePicker asks for the stance and the strength of a quote.
export function StancePicker({ stance, strength }) {
  return html`
    <div class="row">
      <fieldset class="stances">
        <legend>Stance</legend>
        <div>
          ${Object.entries(stanceVerbs).map(
            ([key, text]) => html`
              <label key=${key} class=${key}>
                <input type="radio" name="stance" value=${key} required defaultChecked=${key === stance} />
                <span aria-hidden="true">${stanceMarks[key]}</span>
                ${' '}${text}
              </label>
            `,
          )}
        </div>
      </fieldset>
      <${Field} label="Strength">
        ${(p) => html`
          <select ...${p} name="strength">
            <${Options} of=${strengths} value=${strength} />
          </select>
        `}
      <//>
    </div>
  `;
}

// EditEvidence changes the summary, the stance and the strength of a quote, but not its words.
export function EditEvidence({ e, link, hypothesis, onSaved, onGone, onBack, onClose }) {
  async function send(form) {
    const { summary, stance, strength } = Object.fromEntries(new FormData(form));
    if (link && (stance !== link.stance || strength !== link.strength)) {
      await update(
        'evidence_hypotheses',
        { evidence_id: `eq.${e.id}`, hypothesis_id: `eq.${hypothesis.id}` },
        { stance, strength },
      );
    }
    if (summary !== e.summary) await update('evidence', { id: `eq.${e.id}` }, { summary }, 'id');
    onSaved(
      { summary, ...(summary !== e.summary && { edited_at: new Date().toISOString() }) },
      { stance, strength },
    );
    onClose();
  }
  function drop(table, filter, text) {
    onClose();
    onGone();
    removeLater(table, filter, text, { back: onBack });
  }
  const unlink = () =>
    drop(
      'evidence_hypotheses',
      { evidence_id: `eq.${e.id}`, hypothesis_id: `eq.${hypothesis.id}` },
      'Unlinked from the hypothesis.',
    );
  return html`
    <${Dialog} title="Edit evidence" onClose=${onClose} wide>
      <blockquote dir="auto">${e.quote}</blockquote>
      <${Form}
        send=${send}
        submit="Save"
        onCancel=${onClose}
        danger=${html`
          <span>
            ${
              link &&
              html`
                <button type="button" class="danger" onClick=${unlink}>Unlink from hypothesis</button>
              `
            }
            <button
              type="button"
              class="danger"
              onClick=${() => drop('evidence', { id: `eq.${e.id}` }, 'Evidence deleted.')}
            >
              Delete
            </button>
          </span>
        `}
      >
        ${
          hypothesis &&
          html`
            <p>
              <span class="faint">Hypothesis:${' '}</span>
              <span dir="auto">${hypothesis.statement}</span>
            </p>
          `
        }
        ${
          link &&
          html`
            <${StancePicker} stance=${link.stance} strength=${link.strength} />
          `
        }
        <${Field} label="Summary in your own words">
          ${(p) => html`
            <textarea ...${p} name="summary" rows="2" defaultValue=${e.summary}></textarea>
          `}
        <//>
      <//>
    <//>
  `;
}

// AddEvidence stores a quote and its link to a hypothesis. span is a selection in a transcript; without it
// the person types the quote.
const quoteHint =
  'Word for word. If the quote is in the selected interview, it is linked to its place there.';

export function AddEvidence({ context, hypothesisId, importId, span, imports, onAdded, onClose }) {
  async function send(form) {
    const { quote, summary, stance, strength, hypothesis, from, speaker } = Object.fromEntries(
      new FormData(form),
    );
    const row = span
      ? { quote: span.quote, byte_start: span.byteStart, byte_end: span.byteEnd, import_id: importId }
      : { quote: quote.trim(), import_id: from || null, speaker: speaker.trim() };
    const saved = await insert(
      'evidence',
      { ...row, project_id: context.id, summary, review: 'accepted' },
      evidenceColumns,
    );
    try {
      await upsert(
        'evidence_hypotheses',
        { evidence_id: saved.id, hypothesis_id: hypothesis, project_id: context.id, stance, strength },
        'evidence_id',
      );
    } catch (error) {
      await remove('evidence', { id: `eq.${saved.id}` }).catch(() => {});
      throw error;
    }
    onAdded({ ...saved, evidence_hypotheses: [{ hypothesis_id: hypothesis, stance, strength }] });
    onClose();
  }
  return html`
    <${Dialog} title="Add evidence" onClose=${onClose} wide>
      ${
        context.hypotheses.length === 0
          ? html`
              <p>
                Evidence supports or contradicts a hypothesis, and this project has none yet.${' '}
                <a href=${`/projects/${context.id}`}>Write one first</a>
                .
              </p>
            `
          : html`
              <${Form} send=${send} submit="Add evidence" onCancel=${onClose}>
                ${
                  span
                    ? html`
                        <blockquote dir="auto">${span.quote}</blockquote>
                      `
                    : html`
                        <${Field} label="Quote" hint=${quoteHint}>
                          ${(p) => html`
                            <textarea ...${p} name="quote" rows="3" required></textarea>
                          `}
                        <//>
                        <div class="row">
                          <${Field} label="Interview">
                            ${(p) => html`
                              <select ...${p} name="from">
                                <option value="">None of these</option>
                                ${imports.map(
                                  (i) => html`
                                    <option key=${i.id} value=${i.id}>${i.title}</option>
                                  `,
                                )}
                              </select>
                            `}
                          <//>
                          <${Field} label="Speaker">
                            ${(p) => html`
                              <input ...${p} name="speaker" />
                            `}
                          <//>
                        </div>
                      `
                }
                <${Field} label="Hypothesis">
                  ${(p) => html`
                    <select ...${p} name="hypothesis" required>
                      ${context.hypotheses.map(
                        (h) => html`
                          <option key=${h.id} value=${h.id} selected=${h.id === hypothesisId}>
                            ${h.statement}
                          </option>
                        `,
                      )}
                    </select>
                  `}
                <//>
                <${StancePicker} strength="medium" />
                <${Field} label="Summary in your own words">
                  ${(p) => html`
                    <textarea ...${p} name="summary" rows="2"></textarea>
                  `}
                <//>
              <//>
            `
      }
    <//>
  `;
}
