// The evidence of an interview, beside its transcript.
import { html, useState } from '../../page/html.js';
import { running } from '../shared/interviewwords.js';
import { byKeyword } from '../shared/readings.js';
import { stanceMarks, stances } from '../shared/evidencewords.js';
import { Empty } from '../../page/ui.js';
import { Card } from '../shared/card.js';
import { confirmSpeaker } from '../shared/confirming.js';
import { EditEvidence } from '../shared/evidencedialogs.js';
import { Conflicts, Saving } from '../judging/saving.js';

// nothingRead says why what was read has no evidence.
/** @param {Answer[]} read the answers for which something was read */
function nothingRead(read) {
  const byModel = read.filter((a) => !byKeyword(a));
  if (byModel.length === 0)
    return {
      title: 'Nothing by keywords',
      text:
        'Keyword matching found nothing that counts. It cannot tell whether somebody spoke about the ' +
        'hypotheses in other words.',
    };
  if (byModel.length < read.length || byModel.some((a) => a.model_coverage < 1))
    return {
      title: 'No evidence found',
      text: 'Nothing was found in what a model read. It did not read all of it for every hypothesis.',
    };
  return {
    title: 'No evidence found',
    text: 'That is a result too: this interview says nothing about the hypotheses.',
  };
}

// nothingFor says why an interview has no evidence for these answers.
/** @param {InterviewStatus} status @param {Answer[]} answers @param {Context} context */
function nothingFor(status, answers, { canEdit, hypotheses }) {
  const read = answers.filter((a) => a.coverage > 0);
  if (!running(status) && read.length > 0) return nothingRead(read);
  if (running(status))
    return {
      title: 'Analysing…',
      text:
        'The evidence appears here when the whole transcript is analysed. ' +
        'You can leave this page in the meantime.',
    };
  if (hypotheses.length === 0)
    return {
      title: 'No hypotheses yet',
      text: canEdit
        ? 'Add hypotheses to the project, or select words in the transcript that suggest one.'
        : 'Editors of this workspace add hypotheses, for which evidence is found here.',
    };
  return {
    title: 'Not analysed yet',
    text: canEdit
      ? 'Find evidence for your hypotheses, or select words in the transcript to add evidence yourself.'
      : 'An editor of this workspace can start the analysis.',
  };
}

// Listed shows the cards of the listed evidence. all is the evidence of the whole interview; statement, hues
// and numbers are of the hypotheses, by id.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {InterviewStatus} props.status
 * @param {Answer[]} props.answers to the hypotheses whose evidence is listed
 * @param {LinkedEvidence[]} props.all
 * @param {LinkedEvidence[]} props.listed
 * @param {LinkedEvidence | null} props.current
 * @param {ReturnType<typeof import('./coding.js').useCoding>} props.coding
 * @param {ReturnType<typeof import('./changes.js').useChanges>} props.changes
 * @param {Swatches['hues']} props.hues
 * @param {Swatches['numbers']} props.numbers
 * @param {Map<string, string>} props.statement
 * @param {(e: LinkedEvidence) => void} props.onSelect
 * @param {(e: LinkedEvidence) => void} props.onOpen
 */
export function Listed({ context, status, answers, all, listed, current, coding, changes, ...props }) {
  const { hues, numbers, statement, onSelect, onOpen } = props;
  const { canEdit } = context;
  const { review, judged, change: onChange, drop: onGone, put: onBack } = changes;
  const [editing, setEditing] = useState(/** @type {LinkedEvidence | null} */ (null));
  const nothing = nothingFor(status, answers, context);
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
                onReview=${(/** @type {ReviewState} */ v) => review(e, { review: v })}
                onThemes=${(/** @type {QuoteTheme[]} */ links) => coding.show(e.id, links)}
                onNoted=${(/** @type {Noted} */ noted) => coding.note(e.id, noted)}
                onEdit=${() => setEditing(e)}
                onConfirm=${() => confirmSpeaker(e, () => onChange(e.id, { speaker_confirmed: true }))}
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
