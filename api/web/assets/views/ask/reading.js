// Reading everything for a question: what it costs, and the button that does it.
import { html, useState } from '../../page/html.js';
import { estimateReading } from './requests.js';
import { list } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { count, number } from '../../page/words.js';
import { overviewsOf } from '../interview/facts.js';
import { costOf, tokensOf } from './words.js';

// ReadEverything reads all interviews for an answer. It says before what that costs, where the server knows.
/** @param {{ answer: AskedAnswer, onAgain: (mode: AnswerMode) => Promise<void> }} props */
export function ReadEverything({ answer, onAgain }) {
  const [busy, setBusy] = useState(false);
  const estimate = useLoad((signal) => estimateReading(answer.answerId, signal), [answer.answerId]);
  return html`
    <p class="read-everything">
      <button
        class="small"
        disabled=${busy}
        onClick=${async () => {
          setBusy(true);
          await onAgain('thorough');
          setBusy(false);
        }}
      >
        Read everything
      </button>
      ${' '}
      <span class="faint" role="status">
        ${
          estimate.data &&
          (estimate.data.calls > 0 ? `(${costOf(estimate.data)})` : '(no calls to the AI model)')
        }
      </span>
    </p>
  `;
}

// WillRead says how much is read if all interviews of a project are.
/** @param {{ projectId: string }} props */
export function WillRead({ projectId }) {
  const { data } = useLoad(
    async (signal) => {
      const rows = await list(
        'imports',
        { project_id: `eq.${projectId}`, select: 'id', order: 'id' },
        { signal },
      );
      const all = await overviewsOf(
        rows.map(({ id }) => id),
        signal,
      );
      return { interviews: rows.length, words: rows.reduce((sum, { id }) => sum + wordsIn(all.get(id)), 0) };
    },
    [projectId],
  );
  return html`
    <p class="hint" role="status">
      ${
        data &&
        `Reads ${count(data.interviews, 'interview')} from beginning to end, ${number(data.words)} words: ` +
          `${costOf({ inputTokens: tokensOf(data.words), outputTokens: 0 })}.`
      }
    </p>
  `;
}

/** @param {Overview | undefined} overview */
const wordsIn = (overview) => Number(overview?.words ?? 0);
