// The dialogs that add a piece of evidence and edit it, and the fields that they share with the search.
import { html } from '../../page/html.js';
import { insert, remove, update, upsert } from '../../client/api.js';
import { removeLater } from './deletion.js';
import { evidenceColumns } from './card.js';
import { stanceMarks, stanceVerbs, strengths } from './evidencewords.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options } from '../../page/form.js';

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
