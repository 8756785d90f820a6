// The button that opens the memo and the comments of a quote.
import { html, useState } from '../../page/html.js';
import { later } from '../../page/later.js';
import { count } from '../../page/words.js';

const NotesDialog = later(async () => (await import('./notes.js')).NotesDialog, { unseen: true });

// NotesButton says whether there is a memo, and how many comments there are. The key N presses it.
/**
 * @param {object} props
 * @param {EvidenceRow} props.e
 * @param {(noted: Noted) => void} props.onNoted
 */
export function NotesButton({ e, onNoted }) {
  const [open, setOpen] = useState(false);
  const comments = e.comments?.at(0)?.count ?? 0;
  const there = [e.memo && 'a memo', comments > 0 && count(comments, 'comment')].filter(Boolean).join(', ');
  return html`
    <button
      type="button"
      class=${'small notes-button' + (there ? ' some' : '')}
      title=${`Memo and comments (n)${there && `: ${there}`}`}
      aria-haspopup="dialog"
      onClick=${(/** @type {Event} */ event) => {
        event.stopPropagation();
        setOpen(true);
      }}
    >
      Notes${
        comments > 0 &&
        html`
          <span aria-hidden="true">${' '}${comments}</span>
        `
      }${
        there &&
        html`
          <span class="unseen">${`: ${there}`}</span>
        `
      }
    </button>
    ${
      open &&
      html`
        <${NotesDialog}
          project=${e.project_id}
          evidence=${e.id}
          title="Memo and comments"
          quote=${e.quote}
          onNoted=${onNoted}
          onClose=${() => setOpen(false)}
        />
      `
    }
  `;
}
