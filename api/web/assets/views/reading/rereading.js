// The questions who speaks in an interview that is imported: its file is read again with the answers.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { call } from '../../client/api.js';
import { asError } from '../../client/http.js';
import { useLoad } from '../../page/load.js';
import { Dialog } from '../../page/dialog.js';
import { problem, toast } from '../../page/messages.js';
import { Waiting } from '../../page/ui.js';
import { count } from '../../page/words.js';
import { asRead, inventoryOf, withoutRemembered } from './decisions.js';
import { WhoSpeaks } from './whospeaks.js';

const SOON_MS = 250; // after the last answer

/** @param {string} id @param {Decision} decided @param {{ dryRun: boolean, signal?: AbortSignal }} options */
const reread = async (id, decided, { dryRun, signal }) =>
  /** @type {Reread} */ (
    (
      await call(`/api/import/${id}/reading${dryRun ? '?dry_run=true' : ''}`, {
        method: 'PUT',
        json: decided,
        signal,
      })
    ).body
  );

// useAnswers returns what was decided about an interview, and how its file is read with that. Of several
// decisions, the newest wins. first is how it is read.
/** @param {string} id @param {FileReading} first */
function useAnswers(id, first) {
  const [state, setState] = useState(() => ({
    reading: first,
    inventory: inventoryOf(first, null),
    decided: withoutRemembered(first),
    evidence: /** @type {Reread['evidence'] | null} */ (null),
    busy: false,
    error: /** @type {Error | null} */ (null),
  }));
  const control = useRef(/** @type {AbortController | null} */ (null));
  useEffect(() => () => control.current?.abort(), []);
  /** @param {Decision} decided */
  function decide(decided) {
    control.current?.abort();
    const { signal } = (control.current = new AbortController());
    setState((s) => ({ ...s, decided, busy: true, error: null }));
    setTimeout(async () => {
      if (signal.aborted) return;
      try {
        const { evidence, ...reading } = await reread(id, decided, { dryRun: true, signal });
        if (signal.aborted) return;
        setState((s) => ({
          ...s,
          reading,
          evidence,
          inventory: inventoryOf(reading, s.inventory),
          busy: false,
        }));
      } catch (error) {
        if (!signal.aborted) setState((s) => ({ ...s, busy: false, error: asError(error) }));
      }
    }, SOON_MS);
  }
  return { ...state, decide };
}

// quotesOf says what becomes of the quotes of an interview that is read again.
/** @param {Reread['evidence']} evidence */
function quotesOf({ kept, moved, placeLost }) {
  const parts = [
    kept > 0 && `${count(kept, 'quote')} kept`,
    moved > 0 && `${moved} moved, or of another speaker`,
    placeLost > 0 && `${placeLost} with no place in the transcript any more`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join(', ')}.` : 'It has no quotes.';
}

// Rereading asks who speaks in an interview. onSaved gets whether some speakers are still not certain.
/**
 * @param {object} props
 * @param {Interview} props.row
 * @param {(needsLook: boolean) => void} props.onSaved
 * @param {() => void} props.onClose
 */
export function Rereading({ row, onSaved, onClose }) {
  const loaded = useLoad(
    async (signal) =>
      /** @type {FileReading} */ ((await call(`/api/import/${row.id}/reading`, { signal })).body),
    [row.id],
  );
  return html`
    <${Dialog} title=${`Speakers of ${row.title}`} onClose=${onClose} wide>
      <${Waiting} for=${loaded} what="Reading the file" />
      ${
        loaded.data &&
        html`
          <${Questions} row=${row} first=${loaded.data} onSaved=${onSaved} onClose=${onClose} />
        `
      }
    <//>
  `;
}

/** @param {Parameters<typeof Rereading>[0] & { first: FileReading }} props */
function Questions({ row, first, onSaved, onClose }) {
  const { reading, inventory, decided, evidence, busy, error, decide } = useAnswers(row.id, first);
  const [saving, setSaving] = useState(false);
  /** @type {Ref<HTMLButtonElement | null>} */
  const button = useRef(null);
  async function save() {
    if (busy || saving) return;
    setSaving(true);
    try {
      const saved = await reread(row.id, decided, { dryRun: false });
      onSaved(saved.needsLook);
      onClose();
      toast(`The interview was read again: ${quotesOf(saved.evidence)}`, { about: [row.id] });
    } catch (e) {
      setSaving(false);
      problem(e);
    }
  }
  const { doubtful, certain, unlabelled } = inventory;
  return html`
    ${
      doubtful.length + certain.length === 0 &&
      !unlabelled &&
      html`
        <p class="note">
          No speakers were found in this file. To name who says a turn, close this, and choose
          <b>Correct</b>
          ${' '}beside the turn.
        </p>
      `
    }
    <${WhoSpeaks}
      reading=${reading}
      inventory=${inventory}
      decided=${decided}
      busy=${busy}
      error=${error}
      onRetry=${() => decide(decided)}
      onDecide=${decide}
      onAsRead=${() => decide(asRead(decided, inventory))}
      onEnd=${() => button.current?.focus()}
    />
    ${
      evidence &&
      html`
        <p class="faint" role="status">When it is saved: ${quotesOf(evidence)}</p>
      `
    }
    <div class="actions">
      <button onClick=${onClose}>Cancel</button>
      <button class="primary" ref=${button} aria-disabled=${busy || saving} onClick=${save}>Save</button>
    </div>
  `;
}

// Uncertain says that some speakers of an interview are not certain. onAsk, if any, asks who speaks.
/** @param {{ onAsk: (() => void) | null }} props */
export const Uncertain = ({ onAsk }) => html`
  <div class="note asks">
    <p>
      <b>Some speakers are not certain.</b>
      ${' '}Quotes from such turns count for no person until somebody confirms who says them.
    </p>
    ${
      onAsk &&
      html`
        <button onClick=${onAsk}>Who speaks?</button>
      `
    }
  </div>
`;
