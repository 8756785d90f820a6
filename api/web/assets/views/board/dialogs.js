// The dialogs of a board.
import { html } from '../../page/html.js';
import { later } from '../../page/later.js';
import { CheckNow } from '../interview/analyse.js';
import { AddEvidence, EditEvidence } from '../shared/evidencedialogs.js';
import { Keys } from './shortcuts.js';

const Export = later(async () => (await import('../export/dialog.js')).Export);

// The dialog that is open; a quote is edited.
/** @typedef {'keys' | 'add' | 'export' | 'check' | 'read' | Quote} Opened */

// Dialogs shows the dialog that is open. view is what the board shows, which is exported. onCheck starts the
// analysis of interviews: those that were not checked, or those that only keyword matching has read.
/**
 * @param {object} props
 * @param {Opened} props.dialog
 * @param {Context} props.context
 * @param {Hypothesis} props.hypothesis
 * @param {BoardImport[]} props.imports
 * @param {BoardGaps} props.gaps
 * @param {import('../export/dialog.js').View} props.view
 * @param {(rows: InterviewName[]) => Promise<void>} props.onCheck
 * @param {() => void} props.onAdded
 * @param {import('./changes.js').Edits} props.edits
 * @param {() => void} props.onClose
 */
export function Dialogs({
  dialog,
  context,
  hypothesis,
  imports,
  gaps,
  view,
  onCheck,
  onAdded,
  edits,
  onClose,
}) {
  return html`
    ${
      (dialog === 'check' || dialog === 'read') &&
      html`
        <${CheckNow}
          rows=${dialog === 'read' ? gaps.keyword : gaps.unchecked}
          byModel=${dialog === 'read'}
          hypothesis=${hypothesis}
          send=${onCheck}
          onClose=${onClose}
        />
      `
    }
    ${
      dialog === 'keys' &&
      html`
        <${Keys} onClose=${onClose} />
      `
    }
    ${
      dialog === 'export' &&
      html`
        <${Export} context=${context} view=${view} onClose=${onClose} />
      `
    }
    ${
      dialog === 'add' &&
      html`
        <${AddEvidence}
          context=${context}
          hypothesisId=${hypothesis.id}
          imports=${imports}
          onClose=${onClose}
          onAdded=${onAdded}
        />
      `
    }
    ${
      typeof dialog === 'object' &&
      html`
        <${EditEvidence}
          e=${dialog}
          link=${dialog}
          hypothesis=${hypothesis}
          onClose=${onClose}
          onSaved=${(/** @type {Partial<EvidenceRow>} */ values, /** @type {Partial<EvidenceLink>} */ link) =>
            edits.save(dialog, { ...values, ...link })}
          onGone=${() => edits.take(dialog)}
          onBack=${() => edits.putBack(dialog)}
        />
      `
    }
  `;
}
