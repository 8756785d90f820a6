// The sentences of an answer, which appear as they are written.
import { html, useState } from '../../page/html.js';
import { count } from '../../page/words.js';
import { unconfirmed } from '../shared/evidencewords.js';
import { usePrinting } from '../shared/printing.js';
import { Number, Quotes } from './quotes.js';
import { peopleOf } from './words.js';

// Sentences shows sentences with the numbers of their quotes, and who says it in people. all shows the quotes
// of all of them, as on paper.
/**
 * @param {object} props
 * @param {AskedAnswer} props.answer
 * @param {boolean} props.all
 * @param {import('./theming.js').Keeping} props.keeping
 */
export function Sentences({ answer, all, keeping }) {
  const printing = usePrinting();
  let next = 1;
  return html`
    <ol class="sentences" aria-label="Answer" aria-live="polite">
      ${answer.sentences.map((sentence) => {
        const first = next;
        next += sentence.quotes.length;
        return html`
          <${Sentence}
            key=${sentence.ordinal}
            sentence=${sentence}
            first=${first}
            people=${answer.peopleTotal}
            all=${all || printing}
            keeping=${keeping}
          />
        `;
      })}
    </ol>
  `;
}

/**
 * @param {object} props
 * @param {AnswerSentence} props.sentence
 * @param {number} props.first the number of its first quote
 * @param {number} props.people who were asked
 * @param {boolean} props.all
 * @param {import('./theming.js').Keeping} props.keeping
 */
function Sentence({ sentence, first, people, all, keeping }) {
  const { text, quotes, peopleCount } = sentence;
  const [open, setOpen] = useState(false);
  return html`
    <li>
      <p class="said">
        <span dir="auto">${text}</span>
        ${quotes.map(
          (quote, i) => html`
            <${Number} key=${quote.id} n=${first + i} quote=${quote} />
          `,
        )}
      </p>
      <p class="meta">
        <span>${peopleCount > 0 ? `said by ${peopleOf(peopleCount, people)}` : unconfirmed.short}</span>
        ${
          !all &&
          html`
            <button class="link" aria-expanded=${open} onClick=${() => setOpen(!open)}>
              ${open ? 'Hide' : 'Show'} ${count(quotes.length, 'quote')}
            </button>
          `
        }
      </p>
      ${
        (open || all) &&
        html`
          <${Quotes} quotes=${quotes} first=${first} keeping=${keeping} />
        `
      }
    </li>
  `;
}
