// The memo of a quote or a theme: one text, which everybody who may edit shares.
import { html, useEffect, useId, useRef, useState } from '../../page/html.js';
import { problem, toast } from '../../page/messages.js';
import { memos as drafts } from './drafts.js';

const LONGEST = 20_000; // characters of a memo

/** @typedef {{ before: string, theirs: string }} Clash what a memo was, and what somebody else made of it */

// kept returns what was typed before and not saved, and what somebody else wrote since.
/**
 * @param {string} about
 * @param {string} text what the memo is
 * @returns {{ typed: string, clash: Clash | null }}
 */
function kept(about, text) {
  const draft = drafts.get(about);
  if (!draft) return { typed: text, clash: null };
  const same = draft.before === text || draft.text === text;
  return { typed: draft.text, clash: same ? null : { before: draft.before, theirs: text } };
}

// useMemoText returns what is typed, and what changes and saves it. save returns what the memo is then.
/**
 * @param {string} about
 * @param {string} text
 * @param {(before: string, text: string) => Promise<string>} save
 */
function useMemoText(about, text, save) {
  const [first] = useState(() => kept(about, text));
  const [typed, setTyped] = useState(first.typed);
  const [clash, setClash] = useState(first.clash);
  const [busy, setBusy] = useState(false);
  const latest = useRef({ text, typed, clash, busy });
  latest.current = { text, typed, clash, busy };
  const shown = useRef(true);
  /** @param {string} value */
  function write(value) {
    setTyped(value);
    const before = clash?.before ?? text;
    drafts.keep(about, value === before ? undefined : { text: value, before });
  }
  /** @param {string} value */
  function settle(value) {
    setTyped(value);
    setClash(null);
    drafts.keep(about, undefined);
  }
  /** @param {string} before @param {string} mine */
  async function restore(before, mine) {
    if ((await save(mine, before)) !== before)
      throw new Error('The memo was changed since. It stays as it is.');
    settle(before);
  }
  /** @param {string} before @param {string} mine */
  async function put(before, mine) {
    setBusy(true);
    try {
      const theirs = await save(before, mine);
      if (theirs === mine) {
        if (drafts.get(about)?.text === mine) drafts.keep(about, undefined);
        toast('Memo saved.', { undo: () => void restore(before, mine).catch(problem) });
      } else {
        setClash({ before, theirs });
        if (!shown.current)
          problem(new Error('Somebody else changed the memo. Open it again to choose: yours is kept here.'));
      }
    } catch (error) {
      problem(error);
    }
    setBusy(false);
  }
  async function keep() {
    const now = latest.current;
    if (!now.clash && now.typed !== now.text && !now.busy) await put(now.text, now.typed);
  }
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
      keep(); // also when what shows it is closed
    };
  }, []);
  return {
    typed,
    clash,
    busy,
    write,
    keep,
    takeTheirs: () => settle(latest.current.clash?.theirs ?? text),
    saveMine() {
      setClash(null);
      put(latest.current.clash?.theirs ?? text, latest.current.typed);
    },
  };
}

// Memo is saved when the field is left. What was not saved is there when it is opened again.
/**
 * @param {object} props
 * @param {string} props.about the id of the quote or the theme
 * @param {string} props.text
 * @param {boolean} props.canEdit
 * @param {(before: string, text: string) => Promise<string>} props.save
 */
export function Memo({ about, text, canEdit, save }) {
  const memo = useMemoText(about, text, save);
  const id = useId();
  if (!canEdit)
    return html`
      <section class="memo">
        <h3>Memo</h3>
        <p dir="auto" class="text">${text || 'No memo.'}</p>
      </section>
    `;
  const state = memo.busy ? 'Saving…' : memo.typed === text ? '' : 'Not saved yet.';
  return html`
    <section class="memo">
      <h3><label for=${id}>Memo</label></h3>
      <textarea
        id=${id}
        rows="4"
        dir="auto"
        maxlength=${LONGEST}
        placeholder="What you think of it, for yourself and the team"
        value=${memo.typed}
        onInput=${(/** @type {{ currentTarget: HTMLTextAreaElement }} */ { currentTarget }) =>
          memo.write(currentTarget.value)}
        onBlur=${memo.keep}
      ></textarea>
      <p class="faint" role="status">${state}</p>
      ${
        memo.clash &&
        html`
          <${Choice} memo=${memo} theirs=${memo.clash.theirs} />
        `
      }
    </section>
  `;
}

// Choice asks which of two memos stays.
/** @param {{ memo: ReturnType<typeof useMemoText>, theirs: string }} props */
const Choice = ({ memo, theirs }) => html`
  <div class="clash" role="group" aria-label="Which memo stays">
    <p role="alert">Somebody else changed the memo while you were writing. It is now:</p>
    <blockquote class="text" dir="auto">${theirs || 'No memo.'}</blockquote>
    <div class="actions">
      <button type="button" onClick=${memo.takeTheirs}>Take theirs</button>
      <button type="button" class="primary" onClick=${memo.saveMine}>Save mine instead</button>
    </div>
  </div>
`;
