// Ask: questions to the interviews of a project, and their answers, each sentence proven by quotes.
import { html, useState } from '../../page/html.js';
import { one } from '../../client/api.js';
import { config } from '../../client/session.js';
import { useLoad } from '../../page/load.js';
import { Loading, Problem, Title } from '../../page/ui.js';
import { dateTime } from '../../page/words.js';
import { NotFound } from '../frame/notfound.js';
import { AskForm } from './form.js';
import { useAnswer, useNamed } from './data.js';
import { History } from './history.js';
import { Keep } from './keep.js';
import { MarkAnswered } from './question.js';
import { ReadEverything } from './reading.js';
import { Sentences } from './sentences.js';
import { Arriving, Closest, Ended, Unanswered } from './states.js';
import { useKeeping } from './theming.js';
import { Tools } from './tools.js';
import { coverageOf, leftOutOf, nameOf, outcomeOf, peopleOf, running, scopeOf } from './words.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @param {{ context: Context, query: URLSearchParams }} props */
export function Ask({ context, query }) {
  const id = query.get('a');
  if (id !== null && !uuid.test(id))
    return html`
      <${NotFound} what="answer" />
    `;
  if (id !== null)
    return html`
      <${Asked} key=${id} context=${context} id=${id} />
    `;
  return html`
    <main id="main" class="page ask-page">
      <header class="head"><${Title}>Ask<//></header>
      ${
        context.canEdit &&
        html`
          <${AskForm} key=${query.get('q') ?? ''} context=${context} query=${query} />
        `
      }
      <${History} context=${context} />
    </main>
  `;
}

// Asked is one question with its answer.
/** @param {{ context: Context, id: string }} props */
function Asked({ context, id }) {
  const { answer: read, error, lost, cancelling, reload, again, stop, change } = useAnswer(id);
  const named = useNamed(context.id);
  const answer = read && named(read);
  const [all, setAll] = useState(false); // the quotes of all sentences
  const [kept, setKept] = useState(/** @type {import('./keep.js').Kept | null} */ (null));
  const keeping = useKeeping(context, answer, reload, (quote) => setKept({ quotes: [quote] }));
  if (answer === null || (answer && answer.projectId !== context.id))
    return html`
      <${NotFound} what="answer" />
    `;
  if (!answer)
    return html`
      <main class="alone">
        ${
          error
            ? html`
                <${Problem} error=${error} retry=${reload} />
              `
            : html`
                <${Loading} />
              `
        }
      </main>
    `;
  const onAgain = context.canEdit && again;
  return html`
    <main id="main" class="page ask-page">
      <nav class="back" aria-label="Ask"><a href=${`/projects/${context.id}/ask`}>All questions</a></nav>
      <header class="head">
        <${Title}>${nameOf(answer)}<//>
        <${Tools}
          context=${context}
          answer=${answer}
          change=${change}
          again=${again}
          all=${all}
          onAll=${() => setAll(!all)}
          onFinding=${() =>
            setKept({
              quotes: answer.sentences.flatMap(({ quotes }) => quotes),
              finding: answer.sentences[0]?.text ?? '',
            })}
        />
      </header>
      ${
        answer.title &&
        html`
          <p class="faint" dir="auto">Asked: ${answer.question}</p>
        `
      }
      ${
        lost &&
        running(answer.status) &&
        html`
          <p class="lost" role="status">
            The connection is lost. The answer is still being written, and appears as soon as the server
            answers again.
          </p>
        `
      }
      ${
        answer.staleSince &&
        !running(answer.status) &&
        html`
          <p class="note stale">
            Interviews changed since this was answered.${' '}
            ${
              onAgain &&
              html`
                <button class="small" onClick=${() => onAgain(answer.mode)}>Ask again</button>
              `
            }
          </p>
        `
      }
      <div class="answer">
        <${Body}
          ...${{ context, answer, cancelling, all, onAgain, keeping, onStop: context.canEdit && stop }}
        />
        <${Basis} context=${context} answer=${answer} onAgain=${onAgain} />
      </div>
      ${
        kept &&
        html`
          <${Keep} context=${context} kept=${kept} onKept=${reload} onClose=${() => setKept(null)} />
        `
      }
    </main>
  `;
}

// Body is the answer itself: sentences, passages, or why there are none.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {AskedAnswer} props.answer
 * @param {boolean} props.cancelling
 * @param {boolean} props.all
 * @param {false | import('./states.js').Again} props.onAgain
 * @param {false | (() => void)} props.onStop
 * @param {import('./theming.js').Keeping} props.keeping
 */
function Body({ context, answer, cancelling, all, onAgain, onStop, keeping }) {
  const { mode, status, result, sentences, missing, passages } = answer;
  const over = status === 'answered';
  if (over && (result === 'not_answered' || result === 'not_found'))
    return html`
      <div class="said-so">
        <${Unanswered} context=${context} answer=${answer} onAgain=${onAgain} keeping=${keeping} />
      </div>
    `;
  return html`
    <div class="said-so">
      ${
        !over &&
        !running(status) &&
        html`
          <${Ended} answer=${answer} onAgain=${onAgain} />
        `
      }
      ${
        running(status) &&
        html`
          <${Arriving} answer=${answer} cancelling=${cancelling} onStop=${onStop} />
        `
      }
      <${Sentences} answer=${answer} all=${all} keeping=${keeping} />
      ${
        missing &&
        html`
          <section class="missing" aria-label="What is missing">
            <h2>What the interviews do not say</h2>
            <p dir="auto">${missing}</p>
          </section>
        `
      }
      <${Closest}
        title=${mode === 'passages' ? 'Passages with words in common' : 'What comes closest'}
        passages=${passages}
        keeping=${keeping}
      />
    </div>
  `;
}

// Basis says beside an answer what it rests on: how much was read, how many people are quoted, and what was
// left out.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {AskedAnswer} props.answer
 * @param {false | import('./states.js').Again} props.onAgain
 */
function Basis({ context, answer, onAgain }) {
  const { mode, status, result, questionId, createdBy } = answer;
  const scope = scopeOf(answer.scope, context.personas);
  const author = useLoad(
    (signal) =>
      createdBy ? one('profiles', { id: `eq.${createdBy}`, select: 'id,display_name' }, { signal }) : null,
    [createdBy],
  );
  const more = mode === 'quick' && result !== 'not_found' && status === 'answered' && config.usesModel;
  return html`
    <aside class="basis" aria-label="What it rests on">
      <p><b>${outcomeOf(answer)}</b></p>
      ${
        answer.peopleCount > 0 &&
        html`
          <p>${peopleOf(answer.peopleCount, answer.peopleTotal)} quoted</p>
        `
      }
      ${
        scope &&
        html`
          <p dir="auto">Asked only: ${scope}</p>
        `
      }
      ${
        status === 'answered' &&
        html`
          <p>${coverageOf(answer)}</p>
        `
      }
      ${
        more &&
        onAgain &&
        html`
          <${ReadEverything} answer=${answer} onAgain=${onAgain} />
        `
      }
      ${
        questionId &&
        context.canEdit &&
        answer.sentences.length > 0 &&
        !running(status) &&
        html`
          <${MarkAnswered} questionId=${questionId} />
        `
      }
      ${leftOutOf(answer).map(
        (text) => html`
          <p key=${text} class="faint">${text}</p>
        `,
      )}
      <p class="faint" dir="auto">
        ${[author.data?.display_name, dateTime(answer.createdAt), answer.model].filter(Boolean).join(' · ')}
      </p>
    </aside>
  `;
}
