// The questions that were asked in a project, and what became of them.
import { html, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { asError } from '../../client/http.js';
import { usePoll } from '../../page/load.js';
import { Empty, Tag, Waiting } from '../../page/ui.js';
import { date } from '../../page/words.js';
import { followAnswers } from './requests.js';
import { nameOf, outcomeOf, peopleOf, running } from './words.js';

const WATCH_MS = 1000; // while a question is answered
const IDLE_MS = 20_000; // shows what other members ask
const ROWS = 40; // shown at first

const columns =
  'id,question_id,question,title,kept,mode,status,result,people_total,people_count,stale_since,created_at,' +
  'author:profiles!answers_created_by_fkey(display_name)';

// useAnswers follows the answers of a project: those that are kept first, then the newest.
/** @param {string} projectId */
function useAnswers(projectId) {
  const [data, setData] = useState(/** @type {AnswerRow[] | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [nudge, setNudge] = useState(0);
  usePoll(
    async (signal) => {
      try {
        const rows = await list(
          'answers',
          { project_id: `eq.${projectId}`, select: columns, order: 'kept.desc,created_at.desc,id' },
          { signal },
        );
        setData(rows);
        setError(null);
        return rows;
      } catch (e) {
        setError(asError(e));
        throw e;
      }
    },
    (rows) => (rows.some(({ status }) => running(status)) ? WATCH_MS : IDLE_MS),
    [projectId, nudge],
    followAnswers(projectId),
  );
  return { data, error: data ? null : error, reload: () => setNudge((n) => n + 1) };
}

/** @param {{ context: Context }} props */
export function History({ context }) {
  const answers = useAnswers(context.id);
  const [shown, setShown] = useState(ROWS);
  const { data } = answers;
  return html`
    <section class="asked" aria-labelledby="ask-asked">
      <h2 id="ask-asked">Asked so far</h2>
      <${Waiting} for=${answers} />
      ${
        data?.length === 0 &&
        html`
          <${Empty} title="Nothing was asked yet">
            <p>
              ${
                context.canEdit
                  ? 'Ask what your interviews say. You see which words prove it, and who said them.'
                  : 'Editors of this workspace ask here what the interviews say. You can read the answers.'
              }
            </p>
          <//>
        `
      }
      ${
        data &&
        data.length > 0 &&
        html`
          <ol>
            ${data.slice(0, shown).map(
              (row) => html`
                <${Row} key=${row.id} row=${row} projectId=${context.id} />
              `,
            )}
          </ol>
        `
      }
      ${
        data &&
        data.length > shown &&
        html`
          <button onClick=${() => setShown(shown + ROWS)}>
            Show ${Math.min(ROWS, data.length - shown)} more of ${data.length}
          </button>
        `
      }
    </section>
  `;
}

/** @param {{ row: AnswerRow, projectId: string }} props */
const Row = ({ row, projectId }) => html`
  <li>
    <a class="statement" dir="auto" href=${`/projects/${projectId}/ask?a=${row.id}`}>${nameOf(row)}</a>
    <p class="meta">
      <${Tag} kind=${`outcome ${row.result ?? row.status}`}>${outcomeOf(row)}<//>
      ${
        row.people_count > 0 &&
        html`
          <span>${peopleOf(row.people_count, row.people_total)}</span>
        `
      }
      ${
        row.stale_since &&
        html`
          <span class="warn">interviews changed since</span>
        `
      }
      ${
        row.kept &&
        html`
          <span>★ kept</span>
        `
      }
      <span>${date(row.created_at)}</span>
      ${
        row.author &&
        html`
          <span dir="auto">${row.author.display_name}</span>
        `
      }
    </p>
  </li>
`;
