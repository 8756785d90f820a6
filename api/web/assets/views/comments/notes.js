// What a team writes about a quote or a theme: one memo, and comments.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { Dialog } from '../../page/dialog.js';
import { useStore } from '../../page/store.js';
import { session } from '../../client/session.js';
import { Waiting } from '../../page/ui.js';
import { dateTime } from '../../page/words.js';
import { removeLater } from '../shared/deletion.js';
import { Composer } from './composer.js';
import { aboutOf, useNotes } from './data.js';
import { comments as drafts } from './drafts.js';
import { Memo } from './memo.js';
import { partsOf } from './mentions.js';

/** @typedef {ReturnType<typeof useNotes>} Written */

// Notes shows the memo and the comments of a quote or a theme, which are given by their ids. onNoted gets
// what there is, whenever that changes.
/**
 * @param {object} props
 * @param {string} props.project
 * @param {string} [props.evidence]
 * @param {string} [props.theme]
 * @param {(noted: Noted) => void} [props.onNoted]
 */
function Notes({ project, evidence, theme, onNoted }) {
  const about = aboutOf(evidence, theme);
  const notes = useNotes(project, about);
  const { memo, comments } = notes;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const n = comments.data?.length;
  useEffect(() => {
    if (memo.data !== undefined && n !== undefined) onNoted?.({ memo: memo.data, comments: n });
  }, [memo.data, n]);
  const there = memo.data !== undefined && comments.data !== undefined;
  useEffect(() => {
    if (there && box.current?.closest('dialog')) box.current.querySelector('textarea')?.focus();
  }, [there]);
  const failed = memo.error ? memo : comments;
  if (memo.data === undefined || !comments.data)
    return html`
      <${Waiting} for=${{ ...failed, data: undefined }} />
    `;
  // The memo is also saved when this is closed, and nothing follows it any more.
  /** @param {string} before @param {string} text */
  async function save(before, text) {
    const now = await notes.saveMemo(before, text);
    onNoted?.({ memo: now, comments: n ?? 0 });
    return now;
  }
  return html`
    <div class="notes" ref=${box}>
      <${Memo} key=${about.id} about=${about.id} text=${memo.data} canEdit=${notes.canEdit} save=${save} />
      <section aria-label="Comments">
        <h3>Comments</h3>
        ${
          comments.data.length === 0 &&
          html`
            <p class="faint">No comments yet.</p>
          `
        }
        <ol>
          ${comments.data.map(
            (comment) => html`
              <${Said} key=${comment.id} comment=${comment} notes=${notes} />
            `,
          )}
        </ol>
        ${
          notes.canEdit &&
          html`
            <${Composer}
              key=${about.id}
              about=${about.id}
              members=${notes.members}
              everybody=${notes.everybody}
              submit="Comment"
              send=${notes.add}
            />
          `
        }
      </section>
    </div>
  `;
}

// Said is a comment. Who wrote it can change and delete it.
/** @param {{ comment: Comment, notes: Written }} props */
function Said({ comment, notes }) {
  const [editing, setEditing] = useState(() => !!drafts.get(comment.id));
  const [removed, setRemoved] = useState(/** @type {import('../../page/messages.js').Toast | null} */ (null));
  const own = useStore(session).user?.id === comment.created_by && notes.canEdit;
  const mentioned = notes.members.filter(({ id }) => comment.mentions.includes(id));
  // The message is beside the dialog, where it cannot be reached: the place of the comment has another Undo.
  function drop() {
    setRemoved(
      removeLater('comments', { id: `eq.${comment.id}` }, 'Comment deleted.', {
        back: () => setRemoved(null),
        done: () => notes.hide(comment),
      }),
    );
  }
  if (removed)
    return html`
      <li>
        <p role="status">
          Comment deleted.${' '}
          <button class="link" onClick=${() => removed.close(true)}>Undo</button>
        </p>
      </li>
    `;
  return html`
    <li>
      <p class="meta">
        <b dir="auto">${comment.author?.display_name || 'A former member'}</b>
        <time datetime=${comment.created_at}>${dateTime(comment.created_at)}</time>
        ${comment.edited_at && ' changed'}
      </p>
      ${
        editing && own
          ? html`
              <${Composer}
                about=${comment.id}
                members=${notes.members}
                everybody=${notes.everybody}
                initial=${comment}
                submit="Save"
                send=${async (/** @type {string} */ body, /** @type {string[]} */ mentions) => {
                  await notes.edit(comment, body, mentions);
                  setEditing(false);
                }}
                onCancel=${() => setEditing(false)}
              />
            `
          : html`
              <p class="text" dir="auto">
                ${partsOf(comment.body, mentioned).map((part) =>
                  typeof part === 'string'
                    ? part
                    : html`
                        <b class="mention">@${part.name}</b>
                      `,
                )}
              </p>
            `
      }
      ${
        own &&
        !editing &&
        html`
          <p class="acts">
            <button class="link" onClick=${() => setEditing(true)}>Edit</button>
            <button class="link" onClick=${drop}>Delete</button>
          </p>
        `
      }
    </li>
  `;
}

// NotesDialog shows them in a dialog, below the words that they are about.
/**
 * @param {object} props
 * @param {string} props.project
 * @param {string} [props.evidence]
 * @param {string} [props.theme]
 * @param {string} props.title
 * @param {string} [props.quote]
 * @param {(noted: Noted) => void} [props.onNoted]
 * @param {() => void} props.onClose
 */
export function NotesDialog({ project, evidence, theme, title, quote, onNoted, onClose }) {
  return html`
    <${Dialog} title=${title} onClose=${onClose} wide>
      ${
        quote &&
        html`
          <blockquote dir="auto">${quote}</blockquote>
        `
      }
      <${Notes} project=${project} evidence=${evidence} theme=${theme} onNoted=${onNoted} />
    <//>
  `;
}
