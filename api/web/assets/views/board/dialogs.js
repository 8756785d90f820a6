// The dialogs of a board.
import { html } from '../../page/html.js';
import { later } from '../../page/later.js';
import { CheckNow } from '../interview/analyse.js';
import { AddEvidence, EditEvidence } from '../shared/evidencedialogs.js';
import { Keys } from './shortcuts.js';

const Export = later(async () => (await import('../export/dialog.js')).Export);

// The dialog that is open; a quote is edited.
/** @typedef {'keys' | 'add' | 'export' | 'check' | Quote} Opened */

// Dialogs shows the dialog that is open. view is what the board shows, which is exported; unchecked are the
// interviews that onCheck checks.
/**
 * @param {object} props
 * @param {Opened} props.dialog
 * @param {Context} props.context
 * @param {Hypothesis} props.hypothesis
 * @param {BoardImport[]} props.imports
 * @param {BoardImport[]} props.unchecked
 * @param {import('../export/dialog.js').View} props.view
 * @param {() => Promise<void>} props.onCheck
 * @param {() => void} props.onAdded
 * @param {import('./changes.js').Edits} props.edits
 * @param {() => void} props.onClose
 */
export function Dialogs({
  dialog,
  context,
  hypothesis,
  imports,
  unchecked,
  view,
  onCheck,
  onAdded,
  edits,
  onClose,
}) {
  return html`
    ${
      dialog === 'check' &&
      html`
        <${CheckNow} rows=${unchecked} hypothesis=${hypothesis} send=${onCheck} onClose=${onClose} />
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
