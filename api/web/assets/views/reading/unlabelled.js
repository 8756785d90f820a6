// The question who says the lines without a label.
import { html, useEffect, useId, useRef, useState } from '../../page/html.js';
import { Tag } from '../../page/ui.js';
import { count } from '../../page/words.js';
import { Place } from './label.js';

/** @typedef {'give' | 'keep' | 'nobody'} Choice */

/** @type {Record<string, Choice>} */
const keys = { g: 'give', k: 'keep', n: 'nobody' };

// choiceOf says what is chosen if somebody says the lines in the turns of a label.
/** @param {string} speaker @param {string} label @returns {Choice} */
const choiceOf = (speaker, label) => (speaker === '' ? 'nobody' : speaker === label ? 'keep' : 'give');

// UnlabelledQuestion asks who says the lines without a label. persons are offered as names; onAnswer gets the
// speaker, or '' for nobody who is named.
/**
 * @param {object} props
 * @param {UnlabelledLines} props.lines
 * @param {boolean} props.doubtful
 * @param {string | undefined} props.decided
 * @param {string[]} props.persons
 * @param {boolean} props.remembered
 * @param {(speaker: string) => void} props.onAnswer
 */
export function UnlabelledQuestion({ lines, doubtful, decided, persons, remembered, onAnswer }) {
  const id = useId();
  /** @type {Ref<HTMLInputElement | null>} */
  const input = useRef(null);
  const label = lines.in;
  const speaker = decided ?? lines.speaker;
  const chosen = choiceOf(speaker, label);
  const others = persons.filter((one) => one !== label);
  const likely = chosen === 'give' ? speaker : lines.suggest || others.at(0) || 'Interviewer';
  const [name, setName] = useState(likely);
  useEffect(() => setName(likely), [likely]);
  /** @param {Choice} to */
  const answer = (to) => onAnswer(to === 'give' ? name.trim() || likely : to === 'keep' ? label : '');
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === input.current) return;
    const to = keys[event.key.toLowerCase()];
    if (!to || (to === 'keep' && !label)) return;
    event.preventDefault();
    answer(to);
  };
  /** @param {Choice} one @param {Children} text */
  const radio = (one, text) => html`
    <label>
      <input type="radio" name=${id} checked=${chosen === one} onChange=${() => answer(one)} />
      ${text}
    </label>
  `;
  const many = count(lines.count, 'line without a label', 'lines without a label');
  return html`
    <div
      role="radiogroup"
      class=${'question' + (decided === undefined ? '' : ' answered')}
      tabindex="0"
      data-question=${doubtful && decided === undefined ? 'open' : 'answered'}
      aria-labelledby=${`${id}-name`}
      aria-describedby=${`${id}-place`}
      aria-keyshortcuts="g k n"
      onKeyDown=${onKeyDown}
    >
      <p class="about-it">
        <b id=${`${id}-name`} dir="auto">
          ${`${many} ${lines.count === 1 ? 'looks' : 'look'} like another voice`}
          ${label && ` in the turns of ${label}`}
        </b>
        ${
          remembered &&
          decided === undefined &&
          html`
            <${Tag} kind="remembered" title="It was answered for an earlier file of this project">
              as in earlier files
            <//>
          `
        }
      </p>
      <div class="choices">
        ${radio('give', 'Give them to')}
        <input
          ref=${input}
          class="who"
          aria-label="Who says them"
          list=${`${id}-names`}
          maxlength="100"
          dir="auto"
          value=${name}
          onInput=${(e) => {
            setName(e.currentTarget.value);
            if (e.currentTarget.value.trim()) onAnswer(e.currentTarget.value.trim());
          }}
        />
        <datalist id=${`${id}-names`}>
          ${[...new Set([lines.suggest, 'Interviewer', ...others])].filter(Boolean).map(
            (one) => html`
              <option key=${one} value=${one}></option>
            `,
          )}
        </datalist>
        ${
          label &&
          radio(
            'keep',
            html`
              <span dir="auto">They are ${label}’s</span>
            `,
          )
        }
        ${radio('nobody', 'Nobody who is named')}
      </div>
      <${Place} first=${lines.first} id=${`${id}-place`} />
    </div>
  `;
}
