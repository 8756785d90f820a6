// What is shown instead of sentences: an answer under way, one that failed, and questions without an answer.
import { html } from '../../page/html.js';
import { config } from '../../client/session.js';
import { Progress } from '../../page/ui.js';
import { count, number } from '../../page/words.js';
import { Elapsed } from '../interview/ongoing.js';
import { NextTime } from './question.js';
import { Quotes } from './quotes.js';
import { ReadEverything } from './reading.js';
import { failureOf, progressOf } from './words.js';

/** @typedef {(mode: AnswerMode) => Promise<void>} Again */

// Arriving says how far an answer is. onStop, if any, cancels it.
/** @param {{ answer: AskedAnswer, cancelling: boolean, onStop: false | (() => void) }} props */
export const Arriving = ({ answer, cancelling, onStop }) => html`
  <div class="arriving">
    <${Progress} done=${answer.progress.done} total=${answer.progress.total} label="Answering" />
    <p class="faint">
      <span role="status">${progressOf(answer, cancelling)}</span>
      ${' '}
      <${Elapsed} since=${answer.startedAt} />
    </p>
    ${
      onStop &&
      html`
        <button class="small" disabled=${cancelling} onClick=${onStop}>Cancel</button>
      `
    }
  </div>
`;

// Ended says why there is no answer. onAgain, if any, asks again.
/** @param {{ answer: AskedAnswer, onAgain: false | Again }} props */
export const Ended = ({ answer, onAgain }) => html`
  <div class="problem" role="alert">
    <p dir="auto">${failureOf(answer)}</p>
    ${
      onAgain &&
      html`
        <button onClick=${() => onAgain(answer.mode)}>Ask again</button>
      `
    }
  </div>
`;

// lostItsWords reports whether everything was read and something answered the question, which is gone. What
// never was answered has the closest passages.
/** @param {AskedAnswer} answer */
const lostItsWords = ({ mode, coverage, staleSince, passages }) =>
  mode === 'thorough' && coverage === 1 && staleSince !== null && passages.length === 0;

// meaningOf says what having no answer means: only who has read everything knows that there is none.
/** @param {AskedAnswer} answer */
function meaningOf(answer) {
  const { mode, result, importsTotal, peopleTotal, passagesTotal, passagesRead } = answer;
  const interviews = count(importsTotal, 'interview');
  if (result === 'not_answered')
    return {
      title: 'Not answered by these interviews',
      why:
        `${importsTotal === 1 ? 'The only interview' : `All ${interviews}`} with ` +
        `${count(peopleTotal, 'person', 'people')} ${importsTotal === 1 ? 'was' : 'were'} read. ` +
        'Nothing that was said answers the question.',
    };
  if (mode === 'passages')
    return {
      title: 'No words in common',
      why:
        `None of ${count(passagesTotal, 'passage')} of ${interviews} has words in common with the ` +
        'question. No AI read them: the same may be said in other words.',
    };
  if (lostItsWords(answer))
    return {
      title: 'No longer answered',
      why: 'The words that answered it were changed or deleted. Ask again.',
    };
  if (mode === 'thorough')
    return {
      title: 'Not found in what was read',
      why: `Parts of ${interviews} could not be read. The answer may be there.`,
    };
  return {
    title: 'Not found in what was read',
    why:
      `${number(passagesRead)} of ${count(passagesTotal, 'passage')} of ${interviews} were read, those ` +
      'that fit the question best. The answer may be in the others.',
  };
}

// Unanswered is the page of a question without an answer: what that means, what to do, and what is closest.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {AskedAnswer} props.answer
 * @param {false | Again} props.onAgain
 * @param {import('./theming.js').Keeping} props.keeping
 */
export function Unanswered({ context, answer, onAgain, keeping }) {
  const { title, why } = meaningOf(answer);
  return html`
    <section class="unanswered" aria-labelledby="ask-unanswered">
      <h2 id="ask-unanswered">${title}</h2>
      <p>${why}</p>
      ${
        answer.missing &&
        html`
          <p dir="auto">${answer.missing}</p>
        `
      }
      ${
        answer.result === 'not_found' &&
        onAgain &&
        config.usesModel &&
        html`
          <${ReadEverything} answer=${answer} onAgain=${onAgain} />
        `
      }
      <${NextTime} context=${context} answer=${answer} />
    </section>
    <${Closest} title="What comes closest" passages=${answer.passages} keeping=${keeping} />
  `;
}

// Closest lists passages.
/**
 * @param {object} props
 * @param {string} props.title
 * @param {AnswerQuote[]} props.passages
 * @param {import('./theming.js').Keeping} props.keeping
 */
export const Closest = ({ title, passages, keeping }) =>
  passages.length > 0 &&
  html`
    <section class="closest" aria-label=${title}>
      <h2>${title}</h2>
      <${Quotes} quotes=${passages} keeping=${keeping} />
    </section>
  `;
