// The dialogs that start an analysis from the menu of an interview, and from a board.
import { html } from '../../page/html.js';
import { list } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { count, names } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { Estimate } from './estimate.js';
import { ChooseHypotheses } from './choosehypotheses.js';

// useChecked loads the times at which an interview was checked for each hypothesis as it is worded now.
/** @param {Context} context @param {Interview} row */
function useChecked(context, row) {
  return useLoad(
    async (signal) => {
      const answers = await list(
        'import_hypotheses',
        {
          import_id: `eq.${row.id}`,
          select: 'hypothesis_id,statement,coverage,checked_at',
          order: 'hypothesis_id',
        },
        { signal },
      );
      const statement = new Map(context.hypotheses.map((h) => [h.id, h.statement]));
      return new Map(
        answers
          .filter((a) => a.coverage === 1 && a.statement === statement.get(a.hypothesis_id))
          .map((a) => [a.hypothesis_id, a.checked_at]),
      );
    },
    [row.id],
  );
}

// Analyse asks for which hypotheses to analyse an interview. With refresh, what was read before is read
// again. onStart gets the ids of the hypotheses and refresh.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Interview} props.row
 * @param {boolean} [props.refresh]
 * @param {StartAnalysis} props.onStart
 * @param {() => void} props.onClose
 */
export function Analyse({ context, row, refresh = false, onStart, onClose }) {
  const checked = useChecked(context, row);
  if (!checked.data)
    return html`
      <${Dialog} title=${row.title} onClose=${onClose}>
        <${Waiting} for=${checked} />
      <//>
    `;
  return html`
    <${ChooseHypotheses}
      context=${context}
      title=${refresh ? 'Analyse from scratch?' : row.title}
      ids=${[row.id]}
      checked=${row.status === 'parsed' ? checked.data : undefined}
      refresh=${refresh}
      submit=${refresh ? 'Analyse from scratch' : 'Find evidence'}
      onStart=${(/** @type {string[]} */ chosen) => onStart(chosen, refresh)}
      onClose=${onClose}
    />
  `;
}

// CheckNow asks before interviews are checked for one hypothesis.
/**
 * @param {object} props
 * @param {Pick<Interview, 'id' | 'title'>[]} props.rows
 * @param {Pick<Hypothesis, 'id' | 'statement'>} props.hypothesis
 * @param {() => unknown} props.send
 * @param {() => void} props.onClose
 */
export function CheckNow({ rows, hypothesis, send, onClose }) {
  const ids = rows.map(({ id }) => id);
  return html`
    <${Dialog} title=${`Check ${count(rows.length, 'interview')}?`} onClose=${onClose}>
      <${Form} send=${send} submit="Check now" onCancel=${onClose}>
        <p dir="auto"><b>${hypothesis.statement}</b></p>
        <p dir="auto">
          ${names(
            rows.map(({ title }) => title),
            8,
          )}
        </p>
        <${Estimate} ids=${ids} hypothesisIds=${[hypothesis.id]} />
      <//>
    <//>
  `;
}
