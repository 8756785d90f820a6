// Replaces a name everywhere in an interview, for good, after a look at its places.
import { html, useEffect, useState } from '../../page/html.js';
import { call } from '../../client/api.js';
import { asError, sentence } from '../../client/http.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { toast } from '../../page/messages.js';
import { count, names, number } from '../../page/words.js';
import { quotesThen, stateOf } from './correcting.js';

const SOON_MS = 300; // after the last key
const SHOWN = 30; // places

/**
 * @param {string} id
 * @param {{ base: string, words: string, replacement?: string, title?: boolean }} json
 * @param {{ dryRun?: boolean, signal?: AbortSignal }} [options]
 */
const redact = async (id, json, { dryRun = false, signal } = {}) =>
  /** @type {Redacted} */ (
    (
      await call(`/api/import/${id}/redactions${dryRun ? '?dry_run=true' : ''}`, {
        method: 'POST',
        json,
        signal,
      })
    ).body
  );

// usePreview returns where words are in an interview, and the state of its transcript.
/** @param {string} id @param {string} words */
function usePreview(id, words) {
  const [state, setState] = useState({
    base: '',
    found: /** @type {Redacted | null} */ (null),
    error: /** @type {Error | null} */ (null),
  });
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    setState({ base: '', found: null, error: null });
    const timer = setTimeout(async () => {
      if (!words) return;
      try {
        const base = await stateOf(id, signal);
        const found = await redact(id, { base, words }, { dryRun: true, signal });
        setState({ base, found, error: null });
      } catch (e) {
        if (!signal.aborted) setState({ base: '', found: null, error: asError(e) });
      }
    }, SOON_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [id, words]);
  return state;
}

// Redact asks for words, shows their places, and replaces them. onSaved gets whether the title changed.
/**
 * @param {object} props
 * @param {Pick<Interview, 'id' | 'title'>} props.row
 * @param {string} [props.words] that are proposed
 * @param {() => void} props.onSaved
 * @param {() => void} props.onClose
 */
export function Redact({ row, words: proposed = '', onSaved, onClose }) {
  const [words, setWords] = useState(proposed);
  const { base, found, error } = usePreview(row.id, words.trim());
  const any = found && found.turns + found.others + found.speakers.length + Number(found.title) > 0;
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const values = valuesOf(form);
    const saved = await redact(row.id, {
      base,
      words: words.trim(),
      replacement: values.replacement.trim() || '[name]',
      title: 'title' in values,
    });
    onClose();
    onSaved();
    toast(`Redacted: ${changed(saved, 'title' in values)}.${quotesThen(saved.evidence)}`, {
      about: [row.id],
    });
  }
  return html`
    <${Dialog} title="Redact everywhere in this interview" onClose=${onClose}>
      <${Form}
        class="destructive redacting"
        send=${send}
        submit="Redact"
        disabled=${!any}
        onCancel=${onClose}
      >
        <div class="row">
          <${Field} label="Name or words">
            ${(p) => html`
              <input
                ...${p}
                name="words"
                required
                maxlength="100"
                value=${words}
                autocomplete="off"
                dir="auto"
                onInput=${(e) => setWords(e.currentTarget.value)}
              />
            `}
          <//>
          <${Field} label="Replace by">
            ${(p) => html`
              <input
                ...${p}
                name="replacement"
                maxlength="60"
                defaultValue="[name]"
                autocomplete="off"
                dir="auto"
              />
            `}
          <//>
        </div>
        <div role="status">
          ${
            error &&
            html`
              <p class="wrong" dir="auto">${sentence(error)}</p>
            `
          }
          ${
            words.trim() &&
            !found &&
            !error &&
            html`
              <p class="faint">Looking for it…</p>
            `
          }
          ${
            found &&
            html`
              <${Places} found=${found} />
            `
          }
        </div>
        ${
          found?.title &&
          html`
            <label class="check">
              <input type="checkbox" name="title" defaultChecked />
              In the title as well:
              <span dir="auto">${row.title}</span>
            </label>
          `
        }
        <p>
          This cannot be undone. The words are kept nowhere, and the uploaded file is deleted. Copies that
          were exported or sent before stay as they are.
        </p>
      <//>
    <//>
  `;
}

// changed says where words were replaced.
/** @param {Redacted} saved @param {boolean} inTitle */
const changed = ({ occurrences, speakers, others, title }, inTitle) =>
  [
    occurrences > 0 && `${count(occurrences, 'place')} in the transcript`,
    speakers.length > 0 && count(speakers.length, 'name of a speaker', 'names of speakers'),
    title && inTitle && 'the title',
    others > 0 &&
      count(others, 'note, earlier wording or file name', 'notes, earlier wordings or file names'),
  ]
    .filter(Boolean)
    .join(', ');

/** @param {{ found: Redacted }} props */
function Places({ found }) {
  const { occurrences, places, speakers, others } = found;
  const shown = places.slice(0, SHOWN);
  return html`
    <p>
      ${
        occurrences + speakers.length + others === 0
          ? 'It is nowhere in the transcript.'
          : `${count(occurrences, 'place')} in the transcript.`
      }
      ${
        speakers.length > 0 &&
        html`
          ${' '}
          <span dir="auto">Speakers: ${names(speakers, 5)}.</span>
        `
      }
      ${others > 0 && ` ${number(others)} more in notes, earlier wordings or the file name.`}
    </p>
    ${
      shown.length > 0 &&
      html`
        <ul class="places" tabindex="0" aria-label="Places">
          ${shown.map(
            (p, i) => html`
              <li key=${i} dir="auto">
                ${p.before}
                <mark class="find">${p.words}</mark>
                ${p.after}
              </li>
            `,
          )}
          ${
            occurrences > shown.length &&
            html`
              <li class="faint">and ${number(occurrences - shown.length)} more</li>
            `
          }
        </ul>
      `
    }
  `;
}
