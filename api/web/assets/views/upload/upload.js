// The import of transcripts: files are dropped or chosen, looked at in a dialog, and then imported.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import {
  add,
  again,
  asksIn,
  begin,
  change,
  drop,
  kept,
  nameOf,
  people,
  repeated,
  skipped,
  twinOf,
  uploads,
} from './files.js';
import { count, duration, formats, names, size } from '../../page/words.js';
import { Choice } from '../../page/form.js';
import { Dialog } from '../../page/dialog.js';
import { Progress, Tag } from '../../page/ui.js';
import { sentence } from '../../client/http.js';
import { Look } from './preview.js';

const ACCEPTED =
  '.vtt,.srt,.sbv,.ass,.ttml,.dfxp,.txt,.md,.markdown,.json,.docx,.odt,.rtf,.pdf,.html,.csv,.tsv,.xlsx,text/*';

const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');

// DropZone asks for files. They can be dropped anywhere in the window. It is compact above a list of interviews.
export function DropZone({ context, compact, onAdded }) {
  const [personaId, setPersonaId] = useState('');
  const [over, setOver] = useState(false);
  const input = useRef();
  const latest = useRef();
  latest.current = (files) => {
    if (files.length === 0) return;
    add(context.id, personaId, files);
    onAdded();
  };
  useLayoutEffect(() => {
    const enter = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // otherwise the browser opens the file
      setOver(true);
    };
    const leave = (event) => event.relatedTarget === null && setOver(false);
    const take = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current(event.dataTransfer.files);
    };
    const listeners = { dragenter: enter, dragover: enter, dragleave: leave, drop: take };
    for (const [type, f] of Object.entries(listeners)) window.addEventListener(type, f);
    return () => {
      for (const [type, f] of Object.entries(listeners)) window.removeEventListener(type, f);
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
  `;
}

// Uploads shows the files of a project that are not imported yet: in a dialog while open, and in one line while
// the dialog is closed.
export function Uploads({ context, open, setOpen }) {
  const items = useStore(uploads).filter((item) => item.projectId === context.id);
  // At once, so that it does not close the dialog of files that are dropped a moment later.
  useLayoutEffect(() => {
    if (items.length === 0) setOpen(false);
  }, [items.length === 0]);
  if (items.length === 0) return null;
  if (!open)
    return html`
      <p class="waiting" role="status">
        <span>${summary(items)}</span>
        <button onClick=${() => setOpen(true)}>Show</button>
      </p>
    `;
  return html`
    <${Files} items=${items} context=${context} onClose=${() => setOpen(false)} />
  `;
}

const of = (items, state) => items.filter((item) => item.state === state);

// summary says how far the files are: "2 of 5 files are being imported, 1 failed."
function summary(items) {
  const [sending, failed] = [of(items, 'sending').length, of(items, 'failed').length];
  const rest = failed > 0 ? `, ${failed} failed` : '';
  return sending > 0
    ? `${count(sending, 'file is', 'files are')} being imported${rest}.`
    : `${count(items.length, 'file is', 'files are')} not imported yet${rest}.`;
}

const doubtful = (item) => item.state === 'ready' && (repeated(item) || item.look.warnings.length > 0);
const rank = (item) => (item.state === 'failed' ? 0 : doubtful(item) ? 1 : 2);

function Files({ items, context, onClose }) {
  const ended = useStore(kept);
  const [opened, setOpened] = useState(() => new Set()); // the items whose details are shown
  useEffect(() => () => kept.set(false), []);
  const reading = of(items, 'reading');
  const ready = of(items, 'ready').filter((item) => !skipped(item));
  const skips = of(items, 'ready').filter(skipped);
  const failed = of(items, 'failed').filter((item) => !item.refused);
  const busy = of(items, 'sending').length > 0;
  // Lines do not move while files are read.
  const sorted = reading.length > 0 ? items : [...items].sort((a, b) => rank(a) - rank(b) || a.id - b.id);
  const single = items.length === 1;
  const toggle = (id) =>
    setOpened((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const discard = () => items.forEach(({ id }) => drop(id));
  return html`
    <${Dialog} title=${`Import ${count(items.length, 'file')}`} onClose=${onClose} wide>
      ${
        ended &&
        html`
          <p class="note" role="status">
            Your session had ended. Your files, and what you typed, are here again.
          </p>
        `
      }
      <${Repeated} items=${of(items, 'ready').filter(repeated)} />
      <${Interviewers} items=${of(items, 'ready')} />
      <ul class="uploads" aria-label="Uploads">
        ${sorted.map(
          (item) => html`
            <${Line}
              key=${item.id}
              item=${item}
              open=${single !== opened.has(item.id)}
              onToggle=${() => toggle(item.id)}
            />
          `,
        )}
      </ul>
      <div class="actions">
        <button onClick=${discard}>Discard${single ? '' : ' all'}</button>
        ${
          failed.length > 1 &&
          html`
            <button onClick=${() => failed.forEach(({ id }) => again(id))}>Try all again</button>
          `
        }
        ${
          ready.length + skips.length + reading.length > 0 &&
          html`
            <button class="primary" disabled=${reading.length > 0} onClick=${() => begin(context.id)}>
              ${
                reading.length > 0
                  ? `Reading ${count(reading.length, 'file')}…`
                  : ready.length === 0
                    ? `Skip ${count(skips.length, 'file')}`
                    : `Import ${count(ready.length, 'interview')}`
              }
            </button>
          `
        }
        ${
          ready.length + skips.length + reading.length === 0 &&
          busy &&
          html`
            <button onClick=${onClose}>Continue in the background</button>
          `
        }
      </div>
    <//>
  `;
}

const answers = { skip: 'Skip', replace: 'Replace', keep: 'Keep both' };
const answersOf = (item) => (twinOf(item) ? { skip: answers.skip, keep: answers.keep } : answers);

// Repeated asks what to do with files that the project has already.
function Repeated({ items }) {
  if (items.length === 0) return null;
  const choice = new Set(items.map(({ answer }) => answer));
  const replaceable = items.filter((item) => !twinOf(item));
  const set = (answer) => {
    for (const item of items) change(item.id, { answer: answersOf(item)[answer] ? answer : 'skip' });
  };
  const gone = items
    .filter((item) => item.answer === 'replace' && !twinOf(item))
    .map((item) => item.duplicate);
  const sum = (name) => gone.reduce((n, one) => n + one[name], 0);
  return html`
    <fieldset class="repeated">
      <legend>${count(items.length, 'file was', 'files were')} imported before</legend>
      <div class="radios">
        ${Object.entries(replaceable.length > 0 ? answers : answersOf(items[0])).map(
          ([key, text]) => html`
            <label key=${key}>
              <input
                type="radio"
                name="repeated"
                checked=${choice.size === 1 && choice.has(key)}
                onChange=${() => set(key)}
              />
              ${' '}${items.length > 1 && key !== 'keep' ? `${text} all` : text}
            </label>
          `,
        )}
      </div>
      ${
        gone.length > 0 &&
        html`
          <p class="warn">
            ${gone.length === 1 ? 'The earlier interview is' : `${gone.length} earlier interviews are`}${' '}
            deleted with ${count(sum('quotes'), 'quote')} and ${count(sum('judged'), 'judgement')}. The title,
            the persona and the date stay.
          </p>
        `
      }
    </fieldset>
  `;
}

// Interviewers marks people who speak in several files as interviewers, in all of them.
function Interviewers({ items }) {
  const found = new Map(); // by the name in lower case
  for (const item of items)
    for (const labels of people(item)) {
      const name = nameOf(item, labels[0]);
      if (!name) continue;
      const key = name.toLowerCase();
      found.set(key, { name, in: [...(found.get(key)?.in ?? []), { item, labels }] });
    }
  const several = [...found.values()].filter((one) => one.in.length > 1);
  if (several.length === 0) return null;
  const set = (one, asks) => {
    for (const { item, labels } of one.in)
      change(item.id, {
        asks: { ...item.asks, ...Object.fromEntries(labels.map((label) => [label, asks])) },
      });
  };
  return html`
    <fieldset class="askers">
      <legend>Who asked the questions?</legend>
      <div class="radios">
        ${several.map(
          (one) => html`
            <label key=${one.name} class="check">
              <input
                type="checkbox"
                checked=${one.in.every(({ item, labels }) => asksIn(item, labels))}
                onChange=${(e) => set(one, e.currentTarget.checked)}
              />
              <span dir="auto">${one.name}</span>
              <span class="faint">in ${count(one.in.length, 'file')}</span>
            </label>
          `,
        )}
      </div>
    </fieldset>
  `;
}

function Facts({ item }) {
  const { look } = item;
  const speakers = people(item)
    .map((labels) => nameOf(item, labels[0]))
    .filter(Boolean);
  return html`
    <p class="meta">
      <span>${formats[look.format] ?? look.format}</span>
      <span>${count(look.utterances, 'turn')}</span>
      <span>${look.durationMs ? duration(look.durationMs) : count(look.words, 'word')}</span>
      <span dir="auto">${speakers.length > 0 ? names(speakers) : 'no speakers'}</span>
    </p>
  `;
}

function Line({ item, open, onToggle }) {
  const { file, state, look } = item;
  const sending = state === 'sending' || state === 'reading';
  return html`
    <li class=${state}>
      <div class="line">
        <div class="what">
          <span class="name" dir="auto">${file.name}</span>
          ${
            look
              ? html`
                  <${Facts} item=${item} />
                `
              : html`
                  <p class="meta"><span>${size(file.size)}</span></p>
                `
          }
        </div>
        <div class="state">
          ${
            sending &&
            html`
              <${Progress}
                done=${item.part * 100}
                total=${item.part > 0 && item.part < 1 ? 100 : 0}
                label=${`${state === 'reading' ? 'Reading' : 'Uploading'} ${file.name}`}
              />
            `
          }
          ${
            state === 'ready' &&
            !repeated(item) &&
            look.warnings.length > 0 &&
            html`
              <${Tag} kind="warn">${count(look.warnings.length, 'warning')}<//>
            `
          }
          ${
            state === 'ready' &&
            repeated(item) &&
            html`
              <${Answer} item=${item} />
            `
          }
          ${
            state === 'failed' &&
            !item.refused &&
            html`
              <button onClick=${() => again(item.id)} aria-label=${`Try again: ${file.name}`}>
                Try again
              </button>
            `
          }
        </div>
        <div class="tools-of">
          ${
            look &&
            !sending &&
            html`
              <button
                class="quiet"
                aria-expanded=${open}
                aria-label=${`Details of ${file.name}`}
                onClick=${onToggle}
              >
                Details
              </button>
            `
          }
          <button class="quiet icon" aria-label=${`Remove ${file.name}`} onClick=${() => drop(item.id)}>
            ×
          </button>
        </div>
      </div>
      ${
        state === 'failed' &&
        html`
          <p class="wrong" role="alert" dir="auto">${sentence(item.error)}</p>
        `
      }
      ${
        state === 'ready' &&
        repeated(item) &&
        html`
          <p class="faint" dir="auto">${origin(item)}</p>
        `
      }
      ${
        look &&
        !sending &&
        open &&
        html`
          <${Look} item=${item} />
        `
      }
    </li>
  `;
}

function origin(item) {
  const twin = twinOf(item);
  return twin
    ? `The same file as ${twin.file.name}.`
    : `The same file as the interview “${item.duplicate.title}”.`;
}

const Answer = ({ item }) => html`
  <${Choice}
    plain
    label=${`What to do with ${item.file.name}`}
    value=${answersOf(item)[item.answer] ? item.answer : 'skip'}
    options=${answersOf(item)}
    onChange=${(answer) => change(item.id, { answer })}
  />
`;
