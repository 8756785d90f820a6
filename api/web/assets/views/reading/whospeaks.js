// The questions about the speakers of a file: what its labels are, who says the lines without one, and where
// the interview begins and ends.
import { html, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { sentence } from '../../client/http.js';
import { count } from '../../page/words.js';
import { asks, asRead, decidedFor, personsIn, withLabel } from './decisions.js';
import { Doubts } from './doubts.js';
import { Edges } from './edges.js';
import { LabelQuestion } from './label.js';
import { questionIn, questionKeys } from './moving.js';
import { UnlabelledQuestion } from './unlabelled.js';

/** @typedef {import('./decisions.js').Inventory} Inventory */

// WhoSpeaks asks about the speakers of a file. busy says that it is being read again with what was decided.
// onDecide gets what is decided, and onAsRead that everything is right; onEnd runs after the last question.
/**
 * @param {object} props
 * @param {FileReading} props.reading
 * @param {Inventory} props.inventory
 * @param {Decision} props.decided
 * @param {boolean} props.busy
 * @param {Error | null} props.error
 * @param {() => void} props.onRetry
 * @param {(decided: Decision) => void} props.onDecide
 * @param {(decided: Decision) => void} props.onAsRead
 * @param {() => void} [props.onEnd]
 * @param {Children} [props.children] other ways to read the file
 */
export function WhoSpeaks({ reading, inventory, decided, busy, error, children, ...on }) {
  const { onRetry, onDecide, onAsRead, onEnd } = on;
  /** @type {Ref<HTMLElement>} */
  const section = useRef();
  const { doubtful, certain, unlabelled, asksUnlabelled } = inventory;
  const isAsked = asks(inventory) || reading.needsLook;
  const persons = personsIn(decided, inventory);
  useFocus(section, reading);
  /** @param {FoundLabel} found */
  const question = (found) => html`
    <${LabelQuestion}
      key=${found.label}
      found=${found}
      doubtful=${doubtful.some(({ label }) => label === found.label)}
      decided=${decided}
      persons=${persons}
      remembered=${reading.remembered.includes(found.label)}
      onAnswer=${(/** @type {string} */ label, /** @type {import('./decisions.js').Answer} */ answer) =>
        onDecide(withLabel(decided, label, answer))}
    />
  `;
  const lines =
    unlabelled &&
    html`
      <${UnlabelledQuestion}
        lines=${unlabelled}
        doubtful=${asksUnlabelled}
        decided=${decided.unlabelled}
        persons=${persons}
        remembered=${reading.rememberedUnlabelled ?? false}
        onAnswer=${(/** @type {string} */ speaker) => onDecide({ ...decided, unlabelled: speaker })}
      />
    `;
  return html`
    <section
      class="speaks"
      aria-label="Who speaks?"
      ref=${section}
      tabindex="-1"
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => questionKeys(event, section.current, onEnd)}
    >
      ${
        isAsked &&
        html`
          <header>
            <h3>Who speaks?</h3>
            <p class="faint" role="status">${stateOf(reading, decided, busy)}</p>
            <button onClick=${() => onAsRead(asRead(decided, inventory))}>It is right as it is</button>
          </header>
          <${Hint} />
        `
      }
      ${
        error &&
        html`
          <p class="wrong" role="alert">
            ${sentence(error)} ${' '}
            <button class="link" onClick=${onRetry}>Try again</button>
          </p>
        `
      }
      <${Labels} of=${doubtful.filter((one) => !one.note && one.asked === 'person')} question=${question} />
      <${Labels}
        title="Are these an observer’s notes?"
        of=${doubtful.filter((one) => one.note)}
        question=${question}
      />
      <${Labels}
        title="These may be labels too"
        of=${doubtful.filter((one) => !one.note && one.asked === 'nobody')}
        question=${question}
      />
      ${asksUnlabelled && lines}
      <${Certain} certain=${certain} remembered=${reading.remembered} asks=${isAsked} question=${question}>
        ${!asksUnlabelled && lines}
      <//>
      <${Edges} edges=${inventory.edges} decided=${decided} onDecide=${onDecide} />
      ${children}
      <${Doubts} doubts=${reading.doubts} decided=${decided} inventory=${inventory} onDecide=${onDecide} />
    </section>
  `;
}

// stateOf says what is not certain.
/** @param {FileReading} reading @param {Decision} decided @param {boolean} busy */
function stateOf({ needsLook, doubts, labels }, decided, busy) {
  if (busy) return 'Reading it again…';
  const asksNotes = labels.some(({ note, label }) => note && !decidedFor(decided, label));
  if (asksNotes && (!needsLook || doubts.length === 0))
    return 'Notes are no participant’s words unless you say that somebody speaks.';
  if (!needsLook) return 'Nothing is doubtful any more.';
  return doubts.length > 0
    ? `${count(doubts.length, 'turn')} ${doubts.length === 1 ? 'is' : 'are'} not certain.`
    : 'Some speakers are not certain.';
}

const Hint = () => html`
  <p class="hint">
    <kbd>P</kbd>
    ${' '}person,${' '}
    <kbd>N</kbd>
    ${' '}nobody,${' '}
    <kbd>S</kbd>
    ${' '}same person,${' '}
    <kbd>↑</kbd>
    ${' '}
    <kbd>↓</kbd>
    ${' '}other labels,${' '}
    <kbd>Enter</kbd>
    ${' '}the next one that is doubtful. Lines without a label:${' '}
    <kbd>G</kbd>
    ${' '}give,${' '}
    <kbd>K</kbd>
    ${' '}keep.
  </p>
`;

/** @param {{ title?: string, of: FoundLabel[], question: (found: FoundLabel) => Children }} props */
const Labels = ({ title, of, question }) =>
  of.length > 0 &&
  html`
    ${
      title &&
      html`
        <h4>${title}</h4>
      `
    }
    <ul class="labels" aria-label=${title ?? 'Doubtful labels'}>
      ${of.map(question)}
    </ul>
  `;

// Certain has the other labels, which are drawn when they are looked at.
/**
 * @param {object} props
 * @param {FoundLabel[]} props.certain
 * @param {string[]} props.remembered
 * @param {boolean} props.asks
 * @param {(found: FoundLabel) => Children} props.question
 * @param {Children} props.children
 */
function Certain({ certain, remembered, asks: others, question, children }) {
  const [open, setOpen] = useState(false);
  if (certain.length === 0 && !children) return null;
  const kept = certain.filter(({ label }) => remembered.includes(label)).length;
  const many = others ? count(certain.length, 'more label') : count(certain.length, 'label');
  return html`
    <details
      onToggle=${(/** @type {Event & { currentTarget: HTMLDetailsElement }} */ e) =>
        setOpen(e.currentTarget.open)}
    >
      <summary>
        ${`${many} ${certain.length === 1 ? 'is' : 'are'} certain`}
        ${kept > 0 && `, ${kept === certain.length ? 'as' : `${kept} as`} in earlier files`}
      </summary>
      ${
        open &&
        html`
          <ul class="labels" aria-label="Certain labels">
            ${certain.map(question)}
          </ul>
          ${children}
        `
      }
    </details>
  `;
}

// useFocus moves the focus to the first question when there are questions and the focus is not elsewhere, and
// to the next one if the one that had it is gone after the file was read again.
/** @param {Ref<HTMLElement>} section @param {FileReading} reading */
function useFocus(section, reading) {
  const within = useRef(true);
  within.current ||= !!section.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    const idle = !document.activeElement || document.activeElement.matches('body, dialog, dialog header *');
    if (within.current && idle) (questionIn(section.current) ?? section.current).focus();
    within.current = false;
  }, [reading]);
}
