// The field in which a comment is written. "@" offers the members of the workspace.
import { html, useId, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { asError, sentence } from '../../client/http.js';
import { mentionedIn, offered, wantedAt } from './mentions.js';

const LONGEST = 4000; // characters of a comment

/** @typedef {import('./mentions.js').Named} Named */

// useMention returns the members who are offered for the name that is being typed, and the handlers of the
// field.
/**
 * @param {Ref<HTMLTextAreaElement>} field
 * @param {Named[]} members
 * @param {(text: string) => void} setText
 */
function useMention(field, members, setText) {
  const [wanted, setWanted] = useState(/** @type {ReturnType<typeof wantedAt>} */ (null));
  const [at, setAt] = useState(0);
  const shown = wanted ? offered(members, wanted.typed) : [];
  const now = Math.min(at, Math.max(0, shown.length - 1));
  const caret = useRef(-1); // where it goes when the text is drawn
  useLayoutEffect(() => {
    if (caret.current < 0) return;
    field.current.setSelectionRange(caret.current, caret.current);
    caret.current = -1;
  });
  /** @param {Named} member */
  function take({ name }) {
    const { value, selectionStart: end } = field.current;
    const from = wanted?.from ?? end;
    const before = `${value.slice(0, from)}@${name} `;
    caret.current = before.length;
    setText(before + value.slice(end).replace(/^ /, ''));
    setWanted(null);
    field.current.focus();
  }
  return {
    shown,
    now,
    take,
    look() {
      setWanted(wantedAt(field.current.value, field.current.selectionStart));
      setAt(0);
    },
    close: () => setWanted(null),
    /** @param {KeyboardEvent} event whether the list takes the key */
    press(event) {
      if (shown.length === 0 || event.isComposing) return false;
      if (event.key === 'ArrowDown') setAt((now + 1) % shown.length);
      else if (event.key === 'ArrowUp') setAt((now - 1 + shown.length) % shown.length);
      else if (event.key === 'Enter' || event.key === 'Tab') take(shown[now]);
      else if (event.key === 'Escape') setWanted(null);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

// Composer asks for a comment. Ctrl Enter sends it.
/**
 * @param {object} props
 * @param {Named[]} props.members
 * @param {string} [props.initial]
 * @param {string} props.submit
 * @param {(body: string, mentions: string[]) => Promise<void>} props.send
 * @param {() => void} [props.onCancel]
 */
export function Composer({ members, initial = '', submit, send, onCancel }) {
  const [text, setText] = useState(initial);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  /** @type {Ref<HTMLTextAreaElement>} */
  const field = useRef();
  const id = useId();
  const mention = useMention(field, members, setText);
  const { shown, now } = mention;
  async function post() {
    const body = text.trim();
    if (!body || busy) return;
    setBusy(true);
    setError(null);
    try {
      await send(body, mentionedIn(body, members));
      setText('');
    } catch (e) {
      setError(asError(e));
    }
    setBusy(false);
  }
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (mention.press(event)) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      post();
    } else if (event.key === 'Escape' && onCancel) {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    }
  }
  return html`
    <div class="composer">
      <label for=${id} class="unseen">${submit === 'Save' ? 'Change the comment' : 'Write a comment'}</label>
      <div class="field-with-list">
        <textarea
          id=${id}
          ref=${field}
          rows="3"
          dir="auto"
          maxlength=${LONGEST}
          placeholder="Write a comment; @ mentions a member"
          value=${text}
          aria-autocomplete="list"
          aria-controls=${`${id}-members`}
          aria-activedescendant=${shown.length > 0 ? `${id}-${now}` : undefined}
          onInput=${(/** @type {{ currentTarget: HTMLTextAreaElement }} */ { currentTarget: { value } }) => {
            setText(value);
            mention.look();
          }}
          onClick=${mention.look}
          onBlur=${mention.close}
          onKeyDown=${onKeyDown}
        ></textarea>
        <ul id=${`${id}-members`} role="listbox" aria-label="Members" hidden=${shown.length === 0}>
          ${shown.map(
            (member, i) => html`
              <li
                key=${member.id}
                id=${`${id}-${i}`}
                role="option"
                class=${i === now ? 'now' : ''}
                aria-selected=${i === now}
                dir="auto"
                onPointerDown=${(/** @type {Event} */ e) => e.preventDefault()}
                onClick=${() => mention.take(member)}
              >
                ${member.name}
              </li>
            `,
          )}
        </ul>
      </div>
      <p class="unseen" role="status">
        ${shown.length > 0 && `${shown.length} members. Arrow keys choose, Enter takes one.`}
      </p>
      ${
        error &&
        html`
          <p class="wrong" role="alert" dir="auto">${sentence(error)}</p>
        `
      }
      <div class="actions">
        ${
          onCancel &&
          html`
            <button type="button" onClick=${onCancel}>Cancel</button>
          `
        }
        <button
          type="button"
          class="primary"
          title="Ctrl Enter"
          disabled=${busy || text.trim() === ''}
          onClick=${post}
        >
          ${submit}
        </button>
      </div>
    </div>
  `;
}
