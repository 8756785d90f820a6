// The evidence of an interview, beside its transcript.
import { html, useState } from '../../page/html.js';
import { running } from '../shared/interviewwords.js';
import { stanceMarks, stances } from '../shared/evidencewords.js';
import { Empty } from '../../page/ui.js';
import { Card } from '../shared/card.js';
import { EditEvidence } from '../shared/evidencedialogs.js';
import { Conflicts, Saving } from '../judging/saving.js';

// nothingFor says why an interview has no evidence.
/** @param {InterviewStatus} status @param {boolean} canEdit */
function nothingFor(status, canEdit) {
  if (status === 'parsed')
    return {
      title: 'No evidence found',
      text: 'That is a result too: this interview says nothing about the hypotheses.',
    };
  if (running(status))
    return {
      title: 'Analysing…',
      text:
        'The evidence appears here when the whole transcript is analysed. ' +
        'You can leave this page in the meantime.',
    };
  return {
    title: 'Not analysed yet',
    text: canEdit
      ? 'Find evidence for your hypotheses, or select words in the transcript to add evidence yourself.'
      : 'An editor of this workspace can start the analysis.',
  };
}

// Listed shows the cards of the listed evidence. all is the evidence of the whole interview; statement, hues
// and numbers are of the hypotheses, by id. onChange, onGone and onBack show what became of evidence.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {InterviewStatus} props.status
 * @param {LinkedEvidence[]} props.all
 * @param {LinkedEvidence[]} props.listed
 * @param {LinkedEvidence | null} props.current
 * @param {number} props.judged
 * @param {Swatches['hues']} props.hues
 * @param {Swatches['numbers']} props.numbers
 * @param {Map<string, string>} props.statement
 * @param {(e: LinkedEvidence) => void} props.onSelect
 * @param {(e: LinkedEvidence) => void} props.onOpen
 * @param {(e: LinkedEvidence, review: ReviewState) => void} props.onReview
 * @param {(id: string, values: Partial<LinkedEvidence>) => void} props.onChange
 * @param {(id: string) => void} props.onGone
 * @param {(e: LinkedEvidence) => void} props.onBack
 */
export function Listed({
  context,
  status,
  all,
  listed,
  current,
  judged,
  hues,
  numbers,
  statement,
  onSelect,
  onOpen,
  onReview,
  onChange,
  onGone,
  onBack,
}) {
  const { canEdit } = context;
  const [editing, setEditing] = useState(/** @type {LinkedEvidence | null} */ (null));
  const nothing = nothingFor(status, canEdit);
  const links = editing?.evidence_hypotheses ?? [];
  const onlyLink = links.length === 1 ? links[0] : null;
  return html`
    <section>
      <h2>
        Evidence${' '}
        <span class="faint">${listed.length}</span>
        ${' '}
        <${Saving} judged=${judged} />
      </h2>
      <${Conflicts} rows=${all} />
      ${
        listed.length === 0 &&
        html`
          <${Empty} title=${nothing.title}><p>${nothing.text}</p><//>
        `
      }
      <ol>
        ${listed.map(
          (e) => html`
            <li key=${e.id}>
              <${Card}
                e=${e}
                selected=${e === current}
                canEdit=${canEdit}
                onSelect=${() => onSelect(e)}
                onOpen=${() => onOpen(e)}
                onReview=${(/** @type {ReviewState} */ v) => onReview(e, v)}
                onEdit=${() => setEditing(e)}
              >
                <ul class="links">
                  ${e.evidence_hypotheses.map(
                    (l) => html`
                      <li key=${l.hypothesis_id} class=${l.stance}>
                        <span
                          class=${'swatch ' + (hues.get(l.hypothesis_id) ?? 'hue-none')}
                          aria-hidden="true"
                        >
                          ${numbers.get(l.hypothesis_id)}
                        </span>
                        <span class=${'stance ' + l.stance}>
                          ${stanceMarks[l.stance]} ${stances[l.stance]}
                        </span>
                        ${' '}
                        <a dir="auto" href=${`/projects/${context.id}/evidence?h=${l.hypothesis_id}`}>
                          ${statement.get(l.hypothesis_id)}
                        </a>
                      </li>
                    `,
                  )}
                </ul>
              <//>
            </li>
          `,
        )}
      </ol>
      ${
        editing &&
        html`
          <${EditEvidence}
            e=${editing}
            onClose=${() => setEditing(null)}
            link=${onlyLink}
            hypothesis=${
              onlyLink && { id: onlyLink.hypothesis_id, statement: statement.get(onlyLink.hypothesis_id) }
            }
            onSaved=${(/** @type {Partial<EvidenceRow>} */ values, /** @type {EvidenceLink} */ link) =>
              onChange(editing.id, {
                ...values,
                ...(onlyLink && { evidence_hypotheses: [{ ...onlyLink, ...link }] }),
              })}
            onGone=${(/** @type {EvidenceLink | null} */ unlinked) =>
              unlinked ? onChange(editing.id, { evidence_hypotheses: [] }) : onGone(editing.id)}
            onBack=${(/** @type {EvidenceLink | null} */ unlinked) =>
              unlinked ? onChange(editing.id, { evidence_hypotheses: [unlinked] }) : onBack(editing)}
          />
        `
      }
    </section>
  `;
}
