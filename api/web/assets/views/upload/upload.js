// The dialog in which files are looked at before they are imported.
import { html, useEffect, useLayoutEffect, useState } from '../../page/html.js';
import { Dialog } from '../../page/dialog.js';
import { useStore } from '../../page/store.js';
import { count, entriesOf } from '../../page/words.js';
import { asks } from '../reading/decisions.js';
import { useAsking, Waiting } from './asking.js';
import {
  again,
  answersOf,
  begin,
  change,
  drop,
  kept,
  repeated,
  skipped,
  twinOf,
  uncertain,
  uploads,
} from './files.js';
import { Details } from './details.js';
import { Line } from './line.js';
import { asksIn, nameOf, people } from './voices.js';

/** @typedef {import('./files.js').Item} Item */

// Uploads shows the files of a project that are not imported yet: in a dialog while open, and in one line
// while the dialog is closed.
/** @param {{ context: Context, open: boolean, setOpen: (open: boolean) => void }} props */
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

/** @param {Item[]} items @param {Item['state']} state */
const of = (items, state) => items.filter((item) => item.state === state);

// summary says how far the files are: "2 of 5 files are being imported, 1 failed."
/** @param {Item[]} items */
function summary(items) {
  const [sending, failed] = [of(items, 'sending').length, of(items, 'failed').length];
  const rest = failed > 0 ? `, ${failed} failed` : '';
  return sending > 0
    ? `${count(sending, 'file is', 'files are')} being imported${rest}.`
    : `${count(items.length, 'file is', 'files are')} not imported yet${rest}.`;
}

/** @param {Item} item */
const doubtful = (item) => item.state === 'ready' && (repeated(item) || !!item.read?.warnings.length);
// rank is the place of a file in the list, which it keeps while it is asked about.
/** @param {Item} item */
const rank = (item) => {
  if (item.state === 'failed') return 0;
  if (item.inventory && asks(item.inventory)) return 1;
  return doubtful(item) ? 2 : 3;
};

/** @param {{ items: Item[], context: Context, onClose: () => void }} props */
function Files({ items, context, onClose }) {
  const ended = useStore(kept);
  // The items whose details are shown.
  const [opened, setOpened] = useState(() => /** @type {Set<number>} */ (new Set()));
  useEffect(() => () => kept.set(false), []);
  const reading = of(items, 'reading');
  const wanted = of(items, 'ready').filter((item) => !skipped(item));
  const ready = wanted.filter((item) => !uncertain(item));
  const waiting = wanted.filter(uncertain);
  const asking = useAsking(items, waiting);
  const skips = of(items, 'ready').filter(skipped);
  const failed = of(items, 'failed').filter((item) => !item.refused);
  const busy = of(items, 'sending').length > 0;
  // Lines do not move while files are read.
  const sorted = reading.length > 0 ? items : [...items].sort((a, b) => rank(a) - rank(b) || a.id - b.id);
  const single = items.length === 1;
  /** @param {number} id */
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
      ${
        !single &&
        waiting.length > 0 &&
        reading.length === 0 &&
        html`
          <${Waiting} waiting=${waiting} asking=${asking} />
        `
      }
      <${Repeated} items=${of(items, 'ready').filter(repeated)} />
      <${Interviewers} items=${of(items, 'ready')} />
      <${Details} items=${of(sorted, 'ready').filter((item) => !skipped(item))} context=${context} />
      <ul class="uploads" aria-label="Uploads">
        ${sorted.map(
          (item) => html`
            <${Line}
              key=${item.id}
              item=${item}
              open=${single !== opened.has(item.id) || asking.current === item.id}
              onToggle=${() => toggle(item.id)}
              onNext=${asking.current === item.id ? () => asking.done(item) : null}
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
          wanted.length + skips.length + reading.length > 0 &&
          html`
            <${Begin} reading=${reading} ready=${ready} waiting=${waiting} skips=${skips} />
          `
        }
        ${
          wanted.length + skips.length + reading.length === 0 &&
          busy &&
          html`
            <button onClick=${onClose}>Continue in the background</button>
          `
        }
      </div>
    <//>
  `;
}

// Begin imports the files that are certain, or those that are not if there are no others.
/** @param {Record<'reading' | 'ready' | 'waiting' | 'skips', Item[]>} props */
function Begin({ reading, ready, waiting, skips }) {
  const unlooked = ready.length === 0 && waiting.length > 0;
  const busy = [...ready, ...waiting].some((item) => item.again);
  const text = unlooked
    ? `Import ${count(waiting.length, 'interview')} without looking`
    : ready.length === 0
      ? `Skip ${count(skips.length, 'file')}`
      : `Import ${count(ready.length, 'interview')}`;
  return html`
    <button
      class=${unlooked ? '' : 'primary'}
      disabled=${reading.length > 0}
      aria-disabled=${busy}
      onClick=${() => !busy && begin([...skips, ...(unlooked ? waiting : ready)])}
    >
      ${reading.length > 0 ? `Reading ${count(reading.length, 'file')}…` : text}
    </button>
  `;
}

// Repeated asks what to do with files that the project has already.
/** @param {{ items: Item[] }} props */
function Repeated({ items }) {
  if (items.length === 0) return null;
  const choice = new Set(items.map(({ answer }) => answer));
  const replaceable = items.filter((item) => !twinOf(item));
  /** @param {Item['answer']} answer */
  const set = (answer) => {
    for (const item of items) change(item.id, { answer: answer in answersOf(item) ? answer : 'skip' });
  };
  const gone = items
    .filter((item) => item.answer === 'replace' && !twinOf(item))
    .flatMap((item) => item.duplicate ?? []);
  /** @param {'quotes' | 'judged'} name */
  const sum = (name) => gone.reduce((n, one) => n + one[name], 0);
  return html`
    <fieldset class="repeated">
      <legend>${count(items.length, 'file was', 'files were')} imported before</legend>
      <div class="radios">
        ${entriesOf(answersOf(replaceable[0] ?? items[0])).map(
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
/** @param {{ items: Item[] }} props */
function Interviewers({ items }) {
  /** @typedef {{ name: string, in: { item: Item, labels: string[] }[] }} Person */
  /** @type {Map<string, Person>} */
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
  /** @param {Person} one @param {boolean} asks */
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
