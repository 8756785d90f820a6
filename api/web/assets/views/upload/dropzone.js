// The place to drop transcripts.
import { html, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { Choice } from '../../page/form.js';
import { later } from '../../page/later.js';
import { add } from './files.js';

const ACCEPTED =
  '.vtt,.srt,.sbv,.ass,.ttml,.dfxp,.txt,.md,.markdown,.json,.docx,.odt,.rtf,.pdf,.html,.csv,.tsv,.xlsx,' +
  '.qdpx,.qdc,text/*';

const Exchange = later(async () => (await import('../exchange/dialog.js')).Exchange);

/** @param {DragEvent} event */
const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');

// DropZone asks for files. They can be dropped anywhere in the window. It is compact above a list of
// interviews.
/** @param {{ context: Context, compact: boolean, onAdded: () => void }} props */
export function DropZone({ context, compact, onAdded }) {
  const [personaId, setPersonaId] = useState('');
  const [over, setOver] = useState(false);
  // The file of another program, or null for none yet, while the dialog for it is open.
  const [exchanged, setExchanged] = useState(/** @type {File | null | undefined} */ (undefined));
  /** @type {Ref<HTMLInputElement>} */
  const input = useRef();
  /** @param {FileList | null | undefined} files */
  const addFiles = (files) => {
    if (!files?.length) return;
    if (/\.(qdpx|qdc)$/i.test(files[0].name)) return setExchanged(files[0]);
    add(context.id, personaId, files);
    onAdded();
  };
  const latest = useRef(addFiles);
  latest.current = addFiles;
  useLayoutEffect(() => {
    /** @param {DragEvent} event */
    const enter = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // otherwise the browser opens the file
      setOver(true);
    };
    /** @param {DragEvent} event */
    const leave = (event) => {
      if (event.relatedTarget === null) setOver(false);
    };
    /** @param {DragEvent} event */
    const take = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current(event.dataTransfer?.files);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragover', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', take);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragover', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', take);
    };
  }, []);
  const personas = {
    '': 'Not specified',
    ...Object.fromEntries(context.personas.map((p) => [p.id, p.name])),
  };
  return html`
    <section
      class=${'drop' + (compact ? ' compact' : '') + (over ? ' over' : '')}
      aria-label="Upload transcripts"
    >
      <p>
        <b>Drop transcripts here</b>
        ${' '}or${' '}
        <button class="link" onClick=${() => input.current.click()}>choose files</button>
      </p>
      <p class="hint">
        From Zoom, Teams, Meet, Otter, Rev, Fireflies, Whisper…: .vtt, .srt, .txt, .docx, .pdf, .rtf, .odt,
        .csv, .xlsx, .json and more. Up to 10 MB each. You see what was read before anything is stored.
      </p>
      <p class="hint">
        <button class="link" onClick=${() => setExchanged(null)}>
          Exchange with NVivo, MAXQDA, ATLAS.ti…
        </button>
      </p>
      ${
        context.personas.length > 0 &&
        html`
          <${Choice}
            label="Who was interviewed"
            value=${personaId}
            options=${personas}
            onChange=${setPersonaId}
          />
        `
      }
      <input
        ref=${input}
        type="file"
        multiple
        hidden
        accept=${ACCEPTED}
        aria-label="Transcripts"
        tabindex="-1"
        onChange=${(e) => {
          latest.current(e.currentTarget.files);
          e.currentTarget.value = '';
        }}
      />
    </section>
    ${
      exchanged !== undefined &&
      html`
        <${Exchange} context=${context} file=${exchanged} onClose=${() => setExchanged(undefined)} />
      `
    }
  `;
}
