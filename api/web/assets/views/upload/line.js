// A file in the dialog of uploads.
import { html, useRef } from '../../page/html.js';
import { sentence } from '../../client/http.js';
import { Choice } from '../../page/form.js';
import { Progress, Tag } from '../../page/ui.js';
import { count, names, size } from '../../page/words.js';
import { duration, formats } from '../shared/interviewwords.js';
import { again, answersOf, change, drop, repeated, twinOf, uncertain } from './files.js';
import { importButton } from './asking.js';
import { Preview } from './preview.js';
import { nameOf, namesakes, people } from './voices.js';

/** @typedef {import('./files.js').Item} Item */

/** @param {{ item: Item, read: DryRun }} props */
function Facts({ item, read }) {
  const speakers = people(item)
    .map((labels) => nameOf(item, labels[0]))
    .filter(Boolean);
  return html`
    <p class="meta">
      <span>${formats[read.format] ?? read.format}</span>
      <span>${count(read.utterances, 'turn')}</span>
      <span>${read.durationMs ? duration(read.durationMs) : count(read.words, 'word')}</span>
      <span dir="auto">${speakers.length > 0 ? names(speakers) : 'no speakers'}</span>
    </p>
  `;
}

// SamePeople asks about people whose name another interview has, too. Without an answer they are others.
/** @param {{ item: Item }} props */
const SamePeople = ({ item }) =>
  people(item).map((labels) => {
    const name = nameOf(item, labels[0]);
    const known = namesakes(item, labels);
    if (known.length === 0) return null;
    const titles = known.flatMap(({ interviews }) => interviews.map(({ title }) => `“${title}”`));
    return html`
      <p key=${labels[0]} class="same-person" dir="auto">
        ${name} is also in ${names(titles)}.${' '}
        <${Choice}
          label=${`${name}: the same person?`}
          value=${item.same[name.toLowerCase()] ?? ''}
          options=${{
            '': 'Somebody else',
            ...Object.fromEntries(
              known.map(({ id, interviews }) => [
                id,
                known.length > 1 ? `The same as in “${interviews[0].title}”` : 'The same person',
              ]),
            ),
          }}
          onChange=${(/** @type {string} */ id) =>
            change(item.id, { same: { ...item.same, [name.toLowerCase()]: id } })}
        />
      </p>
    `;
  });

// Line is a file, with what is known about it. onNext, if any, leads to the next file that needs a look.
/**
 * @param {object} props
 * @param {Item} props.item
 * @param {boolean} props.open
 * @param {() => void} props.onToggle
 * @param {(() => void) | null} props.onNext
 */
export function Line({ item, open, onToggle, onNext }) {
  /** @type {Ref<HTMLButtonElement | null>} */
  const next = useRef(null);
  const { file, state, read } = item;
  const sending = state === 'sending' || state === 'reading';
  return html`
    <li class=${state}>
      <div class="line">
        <div class="what">
          <span class="name" dir="auto">${file.name}</span>
          ${
            read
              ? html`
                  <${Facts} item=${item} read=${read} />
                  ${
                    state === 'ready' &&
                    html`
                      <${SamePeople} item=${item} />
                    `
                  }
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
            read &&
            (uncertain(item) || read.warnings.length > 0) &&
            html`
              <${Tag} kind="warn">
                ${uncertain(item) ? 'needs a look' : count(read.warnings.length, 'warning')}
              <//>
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
            read &&
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
          <p class="faint" dir="auto">${sourceOf(item)}</p>
        `
      }
      ${
        read &&
        !sending &&
        open &&
        html`
          <${Preview} item=${item} read=${read} onEnd=${() => (next.current ?? importButton())?.focus()} />
          ${
            onNext &&
            html`
              <div class="next">
                <button class="primary" ref=${next} aria-disabled=${item.again} onClick=${onNext}>
                  Next file
                </button>
              </div>
            `
          }
        `
      }
    </li>
  `;
}

// sourceOf names what has the same content as a file.
/** @param {Item} item */
function sourceOf(item) {
  const twin = twinOf(item);
  return twin
    ? `The same file as ${twin.file.name}.`
    : `The same file as the interview “${item.duplicate?.title}”.`;
}

/** @param {{ item: Item }} props */
const Answer = ({ item }) => html`
  <${Choice}
    plain
    label=${`What to do with ${item.file.name}`}
    value=${answersOf(item)[item.answer] ? item.answer : 'skip'}
    options=${answersOf(item)}
    onChange=${(answer) => change(item.id, { answer })}
  />
`;
