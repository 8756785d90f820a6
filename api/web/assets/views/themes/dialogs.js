// The dialogs of the board of themes.
import { html } from '../../page/html.js';
import { NotesDialog } from '../comments/notes.js';
import { KeysList } from '../shared/keyslist.js';
import { Archived } from './archived.js';
import { EditTheme, NewTheme, SplitTheme, ThemeHypothesis } from './forms.js';
import { keys } from './keys.js';
import { ChooseTheme, Dropped } from './choose.js';

/** @type {Record<string, Component<ThemeDialogProps & { kind: string }>>} */
const dialogs = {
  move: ChooseTheme,
  add: ChooseTheme,
  merge: ChooseTheme,
  nest: ChooseTheme,
  new: NewTheme,
  split: SplitTheme,
  edit: EditTheme,
  hypothesis: ThemeHypothesis,
  archived: Archived,
};

/** @param {ThemeDialogProps & { dialog: ThemeDialog }} props */
export function Dialogs({ dialog, ...props }) {
  if (dialog.kind === 'keys')
    return html`
      <${KeysList} keys=${keys} onClose=${props.onClose} />
    `;
  if (dialog.kind === 'dropped')
    return html`
      <${Dropped} theme=${dialog.theme} on=${dialog.on} ...${props} />
    `;
  if (dialog.kind === 'notes')
    return html`
      <${Written} ...${props} />
    `;
  const View = dialogs[dialog.kind];
  return (
    View &&
    html`
      <${View} kind=${dialog.kind} ...${props} />
    `
  );
}

// Written shows the memo and the comments of a quote or a theme.
/** @param {ThemeDialogProps} props */
function Written({ context, acts, chosen: { quote, theme }, onClose }) {
  if (quote)
    return html`
      <${NotesDialog}
        project=${context.id}
        evidence=${quote.id}
        title="Memo and comments"
        quote=${quote.quote}
        onNoted=${(/** @type {Noted} */ notes) => acts.noted(quote.id, notes)}
        onClose=${onClose}
      />
    `;
  return (
    theme &&
    html`
      <${NotesDialog} project=${context.id} theme=${theme.id} title=${theme.name} onClose=${onClose} />
    `
  );
}
