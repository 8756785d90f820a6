// The dialogs that add a piece of evidence and edit it, and the fields that they share with the search.
import { html } from '../../page/html.js';
import { insert, one, remove, update, upsert } from '../../client/api.js';
import { ApiError } from '../../client/http.js';
import { removeLater } from './deletion.js';
import { evidenceColumns } from './evidencecolumns.js';
import { stanceMarks, stanceOrder, stanceVerbs, strengths } from './evidencewords.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options, valuesOf } from '../../page/form.js';

// StancePicker asks for the stance and the strength of a quote.
/** @param {{ stance?: Stance, strength: Strength }} props */
export function StancePicker({ stance, strength }) {
  return html`
    <div class="row">
      <fieldset class="stances">
        <legend>Stance</legend>
        <div>
          ${stanceOrder.map(
            (key) => html`
              <label key=${key} class=${key}>
                <input type="radio" name="stance" value=${key} required defaultChecked=${key === stance} />
                <span aria-hidden="true">${stanceMarks[key]}</span>
                ${' '}${stanceVerbs[key]}
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

// pickedIn returns what was picked in a form with a StancePicker.
/** @param {HTMLFormElement} form */
export function pickedIn(form) {
  const { stance, strength } = /** @type {{ stance: Stance, strength: Strength }} */ (valuesOf(form));
  return { stance, strength };
}

// asSeen waits for a change of a link that its author saw in a state. Where it changed nothing, because
// somebody else has changed the link since, it says so.
/**
 * @param {Promise<unknown>} change
 * @param {() => Promise<Pick<EvidenceLink, 'stance' | 'strength'> | null>} read
 * @param {Pick<EvidenceLink, 'stance' | 'strength'>} seen
 */
async function asSeen(change, read, seen) {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'forbidden') throw error;
    const now = await read();
    if (!now || (now.stance === seen.stance && now.strength === seen.strength)) throw error;
    const what = `${stanceVerbs[now.stance].toLowerCase()}, ${strengths[now.strength]}`;
    throw new ApiError(
      `Somebody else has changed this to “${what}” ` +
        'in the meantime. Nothing was saved: close this, look at it, and edit it again if you disagree.',
      { status: 409, code: 'conflict' },
    );
  }
}

// EditEvidence changes the summary, the stance and the strength of a quote, but not its words. link is the
// link to the hypothesis, if the quote is edited as evidence for one. onGone says that the quote will be
// deleted, or only its link, and onBack that this was undone.
/**
 * @param {object} props
 * @param {EvidenceRow} props.e
 * @param {EvidenceLink | null} props.link
 * @param {{ statement: string } | null} props.hypothesis
 * @param {(values: Partial<EvidenceRow>, link: Partial<EvidenceLink>) => void} props.onSaved
 * @param {(unlinked: EvidenceLink | null) => void} props.onGone
 * @param {(unlinked: EvidenceLink | null) => void} props.onBack
 * @param {() => void} props.onClose
 */
export function EditEvidence({ e, link, hypothesis, onSaved, onGone, onBack, onClose }) {
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { summary } = valuesOf(form);
    /** @type {Partial<EvidenceLink>} */
    const picked = link ? pickedIn(form) : {};
    if (link && (picked.stance !== link.stance || picked.strength !== link.strength))
      await asSeen(
        update(
          'evidence_hypotheses',
          { ...linkFilter(link), stance: `eq.${link.stance}`, strength: `eq.${link.strength}` },
          picked,
        ),
        () => one('evidence_hypotheses', { ...linkFilter(link), select: 'stance,strength' }),
        link,
      );
    if (summary !== e.summary) await update('evidence', { id: `eq.${e.id}` }, { summary }, 'id');
    onSaved({ summary, ...(summary !== e.summary && { edited_at: new Date().toISOString() }) }, picked);
    onClose();
  }
  /** @param {EvidenceLink} of */
  const linkFilter = (of) => ({ evidence_id: `eq.${e.id}`, hypothesis_id: `eq.${of.hypothesis_id}` });
  /** @param {EvidenceLink | null} unlinked */
  function drop(unlinked) {
    onClose();
    onGone(unlinked);
    const back = () => onBack(unlinked);
    if (unlinked)
      removeLater('evidence_hypotheses', linkFilter(unlinked), 'Unlinked from the hypothesis.', { back });
    else removeLater('evidence', { id: `eq.${e.id}` }, 'Evidence deleted.', { back });
  }
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
                <button type="button" class="danger" onClick=${() => drop(link)}>
                  Unlink from hypothesis
                </button>
              `
            }
            <button type="button" class="danger" onClick=${() => drop(null)}>Delete</button>
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

const quoteHint =
  'Word for word. If the quote is in the selected interview, it is linked to its place there.';

// AddEvidence stores a quote and its link to a hypothesis. span is a selection in the transcript of an
// import; without it the person types the quote, and chooses one of the imports.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {string} [props.hypothesisId] the one that is selected at first
 * @param {string} [props.importId]
 * @param {Span} [props.span]
 * @param {Pick<Interview, 'id' | 'title'>[]} [props.imports]
 * @param {(e: LinkedEvidence) => void} props.onAdded
 * @param {() => void} props.onClose
 */
export function AddEvidence({ context, hypothesisId, importId, span, imports = [], onAdded, onClose }) {
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { quote, summary, hypothesis, from, speaker } = valuesOf(form);
    const picked = pickedIn(form);
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
        { evidence_id: saved.id, hypothesis_id: hypothesis, project_id: context.id, ...picked },
        'evidence_id',
      );
    } catch (error) {
      await remove('evidence', { id: `eq.${saved.id}` }).catch(() => {});
      throw error;
    }
    onAdded({ ...saved, evidence_hypotheses: [{ hypothesis_id: hypothesis, ...picked }] });
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
