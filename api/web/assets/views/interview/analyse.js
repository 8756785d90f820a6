// The dialogs that start an analysis from the menu of an interview, and from a board.
import { html } from '../../page/html.js';
import { list, runs } from '../../client/api.js';
import { config } from '../../client/session.js';
import { useLoad } from '../../page/load.js';
import { count, names } from '../../page/words.js';
import { startable } from '../shared/interviewwords.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { Estimate } from './estimate.js';
import { ChooseHypotheses } from './choosehypotheses.js';

// useEarlier loads the times at which an interview was checked for each hypothesis as it is worded now, and
// the request that has failed. A model reads again what only keyword matching has read.
/** @param {Context} context @param {Interview} row */
function useEarlier(context, row) {
  return useLoad(
    async (signal) => {
      const hasFailed = startable(row.status) && row.status !== 'uploaded';
      const [answers, all] = await Promise.all([
        list(
          'import_hypotheses',
          {
            import_id: `eq.${row.id}`,
            select: 'hypothesis_id,statement,coverage,model_coverage,checked_at',
            order: 'hypothesis_id',
          },
          { signal },
        ),
        hasFailed ? runs(row.id, { signal }) : [],
      ]);
      const statement = new Map(context.hypotheses.map((h) => [h.id, h.statement]));
      /** @param {Answer} a */
      const read = (a) => (config.usesModel ? a.model_coverage : a.coverage);
      const checked = new Map(
        answers
          .filter((a) => read(a) === 1 && a.statement === statement.get(a.hypothesis_id))
          .map((a) => [a.hypothesis_id, a.checked_at]),
      );
      return { checked, failed: all.at(0) };
    },
    [row.id],
  );
}

// Analyse asks for which hypotheses to analyse an interview. With refresh, what was read before is read
// again. After a failure, the request that failed is proposed. onStart gets the ids of the hypotheses and
// refresh.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Interview} props.row
 * @param {boolean} [props.refresh]
 * @param {StartAnalysis} props.onStart
 * @param {() => void} props.onClose
 */
export function Analyse({ context, row, refresh = false, onStart, onClose }) {
  const earlier = useEarlier(context, row);
  if (!earlier.data)
    return html`
      <${Dialog} title=${row.title} onClose=${onClose}>
        <${Waiting} for=${earlier} />
      <//>
    `;
  const { checked, failed } = earlier.data;
  const again = refresh || !!failed?.refresh;
  return html`
    <${ChooseHypotheses}
      context=${context}
      title=${again ? 'Analyse from scratch?' : row.title}
      ids=${[row.id]}
      checked=${checked}
      proposed=${refresh ? undefined : failed?.hypothesisIds}
      refresh=${again}
      submit=${again ? 'Analyse from scratch' : 'Find evidence'}
      onStart=${(/** @type {string[]} */ chosen) => onStart(chosen, again)}
      onClose=${onClose}
    />
  `;
}

// CheckNow asks before interviews are checked for one hypothesis. byModel says that only keyword matching has
// read them so far.
/**
 * @param {object} props
 * @param {Pick<Interview, 'id' | 'title'>[]} props.rows
 * @param {Pick<Hypothesis, 'id' | 'statement'>} props.hypothesis
 * @param {boolean} props.byModel
 * @param {(rows: Pick<Interview, 'id' | 'title'>[]) => unknown} props.send
 * @param {() => void} props.onClose
 */
export function CheckNow({ rows, hypothesis, byModel, send, onClose }) {
  const requests = rows.map(({ id }) => ({ id, hypothesisIds: [hypothesis.id] }));
  const interviews = count(rows.length, 'interview');
  return html`
    <${Dialog}
      title=${byModel ? `Read ${interviews} with the AI model?` : `Check ${interviews}?`}
      onClose=${onClose}
    >
      <${Form} send=${() => send(rows)} submit=${byModel ? 'Read' : 'Check now'} onCancel=${onClose}>
        <p dir="auto"><b>${hypothesis.statement}</b></p>
        <p dir="auto">
          ${names(
            rows.map(({ title }) => title),
            8,
          )}
        </p>
        <${Estimate} requests=${requests} />
      <//>
    <//>
  `;
}
