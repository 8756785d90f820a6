// The button that opens the memo and the comments of a quote, and their dialog.
import { html } from '../../page/html.js';
import { later } from '../../page/later.js';
import { count } from '../../page/words.js';

const NotesDialog = later(async () => (await import('./notes.js')).NotesDialog, { unseen: true });

// NotesButton says whether there is a memo, and how many comments there are. The key N presses it.
/**
 * @param {object} props
 * @param {EvidenceRow} props.e
 * @param {() => void} props.onOpen
 * @param {string} [props.class] icon if it shows no words
 */
export function NotesButton({ e, onOpen, class: className = 'small' }) {
  const comments = e.comments?.at(0)?.count ?? 0;
  const there = [e.memo && 'a memo', comments > 0 && count(comments, 'comment')].filter(Boolean).join(', ');
  return html`
    <button
      type="button"
      class=${`notes-button ${className}${there ? ' some' : ''}`}
      aria-label=${`Notes${there && `: ${there}`}`}
      title=${`Memo and comments (n)${there && `: ${there}`}`}
      aria-haspopup="dialog"
      onClick=${onOpen}
    >
      ${!className.includes('icon') && 'Notes'}${
        comments > 0 &&
        html`
          <span class="count">${' '}${comments}</span>
        `
      }
    </button>
  `;
}

// QuoteNotes is the dialog of a quote.
/** @param {{ e: EvidenceRow, onNoted: (noted: Noted) => void, onClose: () => void }} props */
export const QuoteNotes = ({ e, onNoted, onClose }) => html`
  <${NotesDialog}
    project=${e.project_id}
    evidence=${e.id}
    title="Memo and comments"
    quote=${e.quote}
    onNoted=${onNoted}
    onClose=${onClose}
  />
`;
