// Corrects turns of a transcript, and says what they were.
import { html, useMemo, useState } from '../../page/html.js';
import { call } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { problem, toast } from '../../page/messages.js';
import { count } from '../../page/words.js';
import { Corrected } from '../transcript/corrected.js';

// corrections loads the state of a transcript, and what was corrected in it.
/** @param {string} id @param {AbortSignal} [signal] */
const corrections = async (id, signal) =>
  /** @type {Corrections} */ ((await call(`/api/import/${id}/corrections`, { signal })).body);

// stateOf loads the state of a transcript alone.
/** @param {string} id @param {AbortSignal} [signal] */
export const stateOf = async (id, signal) =>
  /** @type {Corrections} */ ((await call(`/api/import/${id}/corrections?limit=0`, { signal })).body).base;

/** @param {string} id @param {string} base @param {TurnChange[]} changes */
const correct = async (id, base, changes) =>
  /** @type {Corrected} */ (
    (await call(`/api/import/${id}/corrections`, { method: 'POST', json: { base, changes } })).body
  );

// quotesThen says what became of the quotes of a transcript that was changed.
/** @param {Corrected['evidence']} evidence */
export const quotesThen = ({ changed, placeLost }) =>
  [
    changed > 0 && ` ${count(changed, 'quote')} changed with it.`,
    placeLost > 0 &&
      ` ${count(placeLost, 'quote')} lost ${placeLost === 1 ? 'its' : 'their'} place in the transcript.`,
  ]
    .filter(Boolean)
    .join('');

// changeTo returns the change of a turn to these words and this speaker. Who sends a speaker confirms it.
/** @param {Utterance} turn @param {string} text @param {string} speaker @returns {TurnChange} */
const changeTo = (turn, text, speaker) => ({
  ordinal: turn.ordinal,
  text,
  ...(speaker !== turn.speaker && { speaker }),
});

// useCorrecting returns {corrected, onCorrect, dialog}: what a turn was, what opens the dialog that corrects
// a turn, and the dialog, if it is open. utterances have the labels of the file; speakers their names.
// onSaved runs after the transcript changed. Without isFree, nothing can be corrected.
/**
 * @param {object} props
 * @param {string} props.id of the interview
 * @param {Utterance[]} props.utterances
 * @param {Voice[]} props.speakers
 * @param {boolean} props.isFree
 * @param {() => void} props.onSaved
 */
export function useCorrecting({ id, utterances, speakers, isFree, onSaved }) {
  const [asking, setAsking] = useState(/** @type {number | null} */ (null)); // the ordinal of a turn
  const known = useLoad((signal) => corrections(id, signal), [id, utterances]);
  const byTurn = useMemo(() => {
    /** @type {Map<number, Correction[]>} */
    const all = new Map();
    for (const c of known.data?.corrections ?? []) all.set(c.ordinal, [...(all.get(c.ordinal) ?? []), c]);
    return all;
  }, [known.data]);
  /** @param {string} label */
  const nameOf = (label) => speakers.find((s) => s.speaker === label)?.name ?? label;
  const base = known.data?.base;

  /** @param {TurnChange} change @param {string} from */
  async function save(change, from) {
    const before = utterances.find((u) => u.ordinal === change.ordinal);
    const saved = await correct(id, from, [change]);
    setAsking(null);
    if (saved.turns === 0 || !before) return;
    onSaved();
    const { text = before.text, speaker = before.speaker } = change;
    const back = changeTo({ ...before, text, speaker }, before.text, before.speaker);
    const withdrawn =
      saved.evidence.placeLost > 0 ? ' Accepted ones are suggestions now, even after Undo.' : '';
    toast(`Corrected.${quotesThen(saved.evidence)}${withdrawn}`, {
      undo: before.text ? () => correct(id, saved.base, [back]).then(onSaved, problem) : undefined,
      about: [id],
      here: true,
    });
  }
  const turn = utterances.find((u) => u.ordinal === asking);
  return {
    onCorrect: isFree && base ? setAsking : null,
    /** @param {Utterance} u */
    corrected: (u) => {
      const was = byTurn.get(u.ordinal);
      return (
        was &&
        html`
          <${Corrected}
            was=${was}
            nameOf=${nameOf}
            onBack=${
              isFree && base && was[was.length - 1].wasText
                ? (/** @type {Correction} */ c) =>
                    save(changeTo(u, c.wasText, c.wasSpeaker), base).catch(problem)
                : null
            }
          />
        `
      );
    },
    dialog:
      turn &&
      base &&
      html`
        <${Correct}
          key=${base}
          turn=${turn}
          speakers=${speakers}
          send=${(/** @type {TurnChange} */ change) => save(change, base)}
          onClose=${() => setAsking(null)}
        />
      `,
  };
}

/**
 * @param {object} props
 * @param {Utterance} props.turn
 * @param {Voice[]} props.speakers
 * @param {(change: TurnChange) => unknown} props.send
 * @param {() => void} props.onClose
 */
function Correct({ turn, speakers, send, onClose }) {
  const named = speakers.find((s) => s.speaker === turn.speaker)?.name ?? turn.speaker;
  /** @param {HTMLFormElement} form */
  function save(form) {
    const { text, speaker } = valuesOf(form);
    const typed = speaker.trim();
    const label = speakers.find((s) => s.name === typed)?.speaker ?? typed;
    return send({
      ordinal: turn.ordinal,
      text,
      ...(typed !== named && { speaker: label }),
    });
  }
  return html`
    <${Dialog} title="Correct this turn" onClose=${onClose}>
      <${Form} send=${save} submit="Save" onCancel=${onClose}>
        <${Field} label="Words">
          ${(p) => html`
            <textarea
              ...${p}
              name="text"
              rows="6"
              required
              maxlength="60000"
              dir="auto"
              defaultValue=${turn.text}
            />
          `}
        <//>
        <${Field} label="Speaker" hint="Of this turn only.">
          ${(p) => html`
            <input
              ...${p}
              name="speaker"
              maxlength="200"
              list="speakers-of-turns"
              defaultValue=${named}
              autocomplete="off"
              dir="auto"
            />
          `}
        <//>
        <datalist id="speakers-of-turns">
          ${speakers.map(
            (s) => html`
              <option key=${s.speaker} value=${s.name} />
            `,
          )}
        </datalist>
        <p class="faint">
          Quotes follow. What this turn was stays visible. An analysed turn is to be analysed again.
        </p>
      <//>
    <//>
  `;
}
