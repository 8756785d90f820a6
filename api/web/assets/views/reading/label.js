// A question about a label: a person, nobody, or the same person as another one.
import { html, useId, useRef } from '../../page/html.js';
import { Options } from '../../page/form.js';
import { Tag } from '../../page/ui.js';
import { count, percent } from '../../page/words.js';
import { answerFor, decidedFor, likeliest } from './decisions.js';

/** @typedef {import('./decisions.js').Answer} Answer */

/** @type {Record<Answer['kind'], { key: string, text: string, title: string }>} */
const kinds = {
  person: { key: 'p', text: 'A person', title: 'Somebody who speaks' },
  nobody: { key: 'n', text: 'Nobody', title: 'A field, a heading or a note' },
  same: { key: 's', text: 'The same person as…', title: 'Another spelling of the name of somebody' },
};
/** @type {typeof kinds} */
const noteKinds = {
  ...kinds,
  person: { ...kinds.person, text: 'Somebody who speaks' },
  nobody: { ...kinds.nobody, text: 'Notes, nobody’s words', title: 'What an observer wrote' },
};
const order = /** @type {Answer['kind'][]} */ (['person', 'nobody', 'same']);

// Place shows a line with its neighbours, and the label in it.
/** @param {{ first: LineContext, label?: string, id?: string }} props */
export function Place({ first: { before, line, after }, label = '', id }) {
  const at = label ? line.indexOf(label) : -1;
  return html`
    <div class="place" id=${id}>
      ${
        before &&
        html`
          <p dir="auto">${before}</p>
        `
      }
      <p class="here" dir="auto">
        ${
          at < 0
            ? line
            : html`
                ${line.slice(0, at)}
                <mark class="label">${label}</mark>
                ${line.slice(at + label.length)}
              `
        }
      </p>
      ${
        after &&
        html`
          <p dir="auto">${after}</p>
        `
      }
    </div>
  `;
}

// LabelQuestion asks what a label is. persons are those whom it can be the same as; remembered says that the
// answer is from earlier files.
/**
 * @param {object} props
 * @param {FoundLabel} props.found
 * @param {boolean} props.doubtful
 * @param {Decision} props.decided
 * @param {string[]} props.persons
 * @param {boolean} props.remembered
 * @param {(label: string, answer: Answer) => void} props.onAnswer
 */
export function LabelQuestion({ found, doubtful, decided, persons, remembered, onAnswer }) {
  const id = useId();
  /** @type {Ref<HTMLSelectElement | null>} */
  const select = useRef(null);
  const { label, first } = found;
  const texts = found.note ? noteKinds : kinds;
  const { kind, of } = answerFor(decided, found);
  const own = decidedFor(decided, label);
  const others = persons.filter((one) => one !== label);
  /** @param {Answer['kind']} to */
  const answer = (to) => {
    if (to === 'same' && others.length === 0) return;
    onAnswer(label, { kind: to, of: to === 'same' ? of || likeliest(label, persons) : '' });
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === select.current) return;
    const to = order.find((one) => kinds[one].key === event.key.toLowerCase());
    if (!to) return;
    event.preventDefault();
    answer(to);
    if (to === 'same' && others.length > 1) requestAnimationFrame(() => select.current?.focus());
  };
  return html`
    <li class=${'question' + (own ? ' answered' : '')}>
      <div
        role="radiogroup"
        tabindex="0"
        data-question=${doubtful && !own ? 'open' : 'answered'}
        aria-labelledby=${`${id}-name`}
        aria-describedby=${`${id}-share ${id}-place`}
        aria-keyshortcuts="p n s"
        onKeyDown=${onKeyDown}
      >
        <p class="about-it">
          <span>
            <b id=${`${id}-name`} dir="auto">${label}</b>
            ${' '}
            <span class="faint" id=${`${id}-share`}>
              ${`${count(found.count, 'time')}, ${percent(found.share)} of the words`}
            </span>
          </span>
          ${
            remembered &&
            !own &&
            html`
              <${Tag} kind="remembered" title="It was answered for an earlier file of this project">
                as in earlier files
              <//>
            `
          }
        </p>
        <div class="choices">
          ${order.map(
            (one) => html`
              <label key=${one} title=${texts[one].title}>
                <input
                  type="radio"
                  name=${id}
                  checked=${one === kind}
                  disabled=${one === 'same' && others.length === 0}
                  onChange=${() => answer(one)}
                />
                ${texts[one].text}
              </label>
            `,
          )}
          ${
            kind === 'same' &&
            html`
              <select
                ref=${select}
                aria-label=${`The same person as ${label}`}
                value=${of}
                onChange=${(e) => onAnswer(label, { kind: 'same', of: e.currentTarget.value })}
              >
                <${Options} of=${Object.fromEntries([of, ...others].map((one) => [one, one]))} value=${of} />
              </select>
            `
          }
        </div>
        <${Place} first=${first} label=${label} id=${`${id}-place`} />
      </div>
    </li>
  `;
}
