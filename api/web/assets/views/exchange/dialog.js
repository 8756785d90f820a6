// The dialog in which a project is exchanged with other programs for qualitative analysis.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { asError, sentence } from '../../client/http.js';
import { Dialog } from '../../page/dialog.js';
import { toast } from '../../page/messages.js';
import { Coming, summary } from './coming.js';
import { Export } from './exporting.js';
import { sendProject } from './send.js';

const about =
  'A project (.qdpx) or a codebook (.qdc) of NVivo, MAXQDA, ATLAS.ti, QualCoder and others: sources become ' +
  'interviews, codes become themes, codings become quotes. You see what comes before anything is stored. ';

// Exchange exports the project, and imports a file: the one that was dropped, or one that is chosen. Nothing
// is stored before the user has seen what comes.
/** @param {{ context: Context, file: File | null, onClose: () => void }} props */
export function Exchange({ context, file: dropped, onClose }) {
  const [file, setFile] = useState(dropped);
  const [read, setRead] = useState(/** @type {ProjectImport | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [busy, setBusy] = useState(false);
  /** @type {Ref<HTMLInputElement>} */
  const input = useRef();
  /** @param {boolean} dryRun @param {(answer: ProjectImport) => void} then */
  async function send(dryRun, then) {
    if (!file) return;
    setBusy(true);
    setError(null);
    try {
      then(await sendProject(context.id, file, dryRun));
    } catch (e) {
      setError(asError(e));
    }
    setBusy(false);
  }
  useEffect(() => {
    setRead(null);
    send(true, setRead);
  }, [file]);
  const bring = () =>
    send(false, (answer) => {
      toast(`${summary(answer) || 'Nothing'} imported.`);
      context.reload();
      onClose();
    });
  const isNew = read && summary(read) !== '';
  return html`
    <${Dialog} title="Exchange with other programs" onClose=${onClose} wide>
      ${
        !file &&
        html`
          <${Export} context=${context} />
        `
      }
      <h3>Import</h3>
      <p>
        ${
          file
            ? html`
                <b dir="auto">${file.name}</b>
                ${' '}
              `
            : about
        }
        <button class="link" disabled=${busy} onClick=${() => input.current.click()}>
          ${file ? 'Choose another file' : 'Choose a file'}
        </button>
      </p>
      <input
        ref=${input}
        type="file"
        hidden
        accept=".qdpx,.qdc"
        aria-label="Project or codebook"
        tabindex="-1"
        onChange=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ e) => {
          setFile(e.currentTarget.files?.[0] ?? null);
          e.currentTarget.value = '';
        }}
      />
      <div aria-live="polite">
        ${
          busy &&
          html`
            <p class="faint">${read ? 'Importing…' : 'Reading…'}</p>
          `
        }
        ${
          read &&
          html`
            <${Coming} read=${read} />
          `
        }
      </div>
      ${
        error &&
        html`
          <p class="wrong" role="alert" dir="auto">${sentence(error)}</p>
        `
      }
      <div class="actions">
        <button onClick=${onClose}>Close</button>
        ${
          isNew &&
          html`
            <button class="primary" disabled=${busy} onClick=${bring}>Import ${summary(read)}</button>
          `
        }
      </div>
    <//>
  `;
}
