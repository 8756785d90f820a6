// Adding words of a transcript as evidence: beside the words, or in a dialog with a note.
import { html, useState } from '../../page/html.js';
import { AddEvidence } from '../shared/evidencedialogs.js';
import { Popover } from '../transcript/popover.js';

// useAdding returns {popover, dialog}: what the transcript of an interview shows beside chosen words, and the
// dialog, if it is open. only is the hypothesis to which the evidence belongs, or ''.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {string} props.importId
 * @param {string} props.only
 * @param {(span: Span) => boolean} props.isDoubtful whether the speaker of words is not certain
 * @param {null | ((words: string) => void)} props.onRedact
 * @param {ReturnType<typeof import('./coding.js').useCoding>} props.coding
 * @param {(e: LinkedEvidence) => void} props.onAdded
 */
export function useAdding({ context, importId, only, isDoubtful, onRedact, coding, onAdded }) {
  const [noted, setNoted] = useState(/** @type {Span | null} */ (null));
  return {
    /** @param {{ span: ChosenSpan, close: () => void }} chosen */
    popover: ({ span, close }) => html`
      <${Popover}
        key=${`${span.byteStart} ${span.byteEnd}`}
        context=${context}
        importId=${importId}
        span=${span}
        only=${only}
        doubtful=${isDoubtful(span)}
        themes=${coding.themes}
        chosen=${coding.chosenOf(span)}
        onTheme=${(/** @type {import('../shared/coding.js').Wanted} */ wanted) => {
          close();
          coding.code(span, wanted);
        }}
        onRedact=${
          onRedact &&
          (() => {
            close();
            onRedact(span.quote);
          })
        }
        onMore=${() => {
          close();
          setNoted(span);
        }}
        onAdded=${(/** @type {LinkedEvidence} */ e) => {
          close();
          onAdded(e);
        }}
        onClose=${close}
      />
    `,
    dialog:
      noted &&
      html`
        <${AddEvidence}
          context=${context}
          importId=${importId}
          span=${noted}
          hypothesisId=${only}
          onClose=${() => setNoted(null)}
          onAdded=${onAdded}
        />
      `,
  };
}
