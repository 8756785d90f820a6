// The field in which a comment is written. "@" offers the members of the workspace.
import { html, useId, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { asError, sentence } from '../../client/http.js';
import { comments as drafts } from './drafts.js';
import { isShared, mentionedIn, offered, wantedAt } from './mentions.js';

const LONGEST = 4000; // characters of a comment

/** @typedef {import('./mentions.js').Named} Named */

// useMention returns the members who are offered for the name that is being typed, and the handlers of the
// field.
/**
 * @param {Ref<HTMLTextAreaElement>} field
 * @param {Named[]} members
 * @param {(text: string, chosen?: string) => void} write
 */
function useMention(field, members, write) {
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
  function take({ id, name }) {
    const { value, selectionStart: end } = field.current;
    const from = wanted?.from ?? end;
    const before = `${value.slice(0, from)}@${name} `;
    caret.current = before.length;
    write(before + value.slice(end).replace(/^ /, ''), id);
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

// useDraft returns what is being written, and write, which changes it. What is not sent is kept.
/** @param {string} about @param {import('./drafts.js').CommentDraft} initial */
function useDraft(about, initial) {
  const [draft, setDraft] = useState(() => drafts.get(about) ?? initial);
  return {
    ...draft,
    /** @param {string} text @param {string} [member] who was chosen to be mentioned */
    write(text, member) {
      const next = { text, chosen: member ? [...draft.chosen, member] : draft.chosen };
      drafts.keep(about, text === initial.text ? undefined : next);
      setDraft(next);
    },
    forget() {
      drafts.keep(about, undefined);
      setDraft({ text: '', chosen: [] });
    },
  };
}

// Composer asks for a comment. Ctrl Enter sends it.
/**
 * @param {object} props
 * @param {string} props.about the id of the quote, the theme or the comment that it is about
 * @param {Named[]} props.members those who are known so far
 * @param {() => Promise<Named[]>} props.everybody all of them
 * @param {{ body: string, mentions: string[] }} [props.initial]
 * @param {string} props.submit
 * @param {(body: string, mentions: string[]) => Promise<void>} props.send
 * @param {() => void} [props.onCancel]
 */
export function Composer({ about, members, everybody, initial, submit, send, onCancel }) {
  const draft = useDraft(about, { text: initial?.body ?? '', chosen: initial?.mentions ?? [] });
  const { text } = draft;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  /** @type {Ref<HTMLTextAreaElement>} */
  const field = useRef();
  const id = useId();
  const mention = useMention(field, members, draft.write);
  const { shown, now } = mention;
  const cancel =
    onCancel &&
    (() => {
      draft.forget();
      onCancel();
    });
  async function post() {
    const body = text.trim();
    if (!body || busy) return;
    setBusy(true);
    setError(null);
    try {
      await send(body, body.includes('@') ? mentionedIn(body, await everybody(), draft.chosen) : []);
      draft.forget();
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
    } else if (event.key === 'Escape' && cancel) {
      event.preventDefault();
      event.stopPropagation();
      cancel();
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
            draft.write(value);
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
                ${member.name}${
                  isShared(member.name, members) &&
                  html`
                    <span class="faint">${' '}${member.email}</span>
                  `
                }
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
          cancel &&
          html`
            <button type="button" onClick=${cancel}>Cancel</button>
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
