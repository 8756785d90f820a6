// The report of a project: read, written, ordered, printed, saved as a whole, and shared by a link.
import { html, useState } from '../../page/html.js';
import { insert, rpc } from '../../client/api.js';
import { ApiError, codeOf } from '../../client/http.js';
import { useLoad } from '../../page/load.js';
import { later } from '../../page/later.js';
import { problem } from '../../page/messages.js';
import { Waiting } from '../../page/ui.js';
import { count } from '../../page/words.js';
import { documentOfReport } from '../export/document.js';
import { FindingsTools } from '../findings/tools.js';
import { EditReport } from './edit.js';
import { Study } from './study.js';

const Sharing = later(async () => (await import('../findings/sharing.js')).Sharing);

/** @param {{ context: Context, query: URLSearchParams }} props */
export function StudyReport({ context, query }) {
  const withNames = query.get('names') !== 'no';
  const [open, setOpen] = useState(/** @type {'edit' | 'share' | null} */ (null));
  const loaded = useLoad(
    async (signal) => {
      const report = await rpc('project_report', { project: context.id }, { signal });
      if (!report)
        throw new ApiError('This project was deleted in the meantime.', { status: 404, code: 'gone' });
      /** @type {Findings[]} */
      const findings = [];
      for (const hypothesis of report.hypothesis_ids) {
        const f = await rpc('hypothesis_findings', { hypothesis, names: withNames }, { signal });
        if (f) findings.push(f); // null if it was deleted in the meantime
      }
      return { ...report, findings };
    },
    [context.id, withNames],
  );
  const report = loaded.data;
  const close = () => setOpen(null);
  // A link shows a row of reports, so that there must be one.
  async function share() {
    try {
      if (!report?.id) await insert('reports', { project_id: context.id }, 'id').catch(unlessWritten);
      await loaded.reload();
      setOpen('share');
    } catch (error) {
      problem(error);
    }
  }
  return html`
    <main id="main" class="findings-page">
      <${FindingsTools}
        context=${context}
        withNames=${withNames}
        ready=${!!report}
        shown=${() =>
          report && {
            file: ['report', ...(report.title === context.project.name ? [] : [report.title])],
            quotes: report.findings.reduce((n, f) => n + f.quotes.length, 0),
            doc: documentOfReport(report),
          }}
      >
        ${
          context.canEdit &&
          html`
            <button disabled=${!report} onClick=${() => setOpen('edit')}>Edit</button>
            <button class="primary" disabled=${!report} onClick=${share}>Share</button>
          `
        }
      <//>
      <${Waiting} for=${loaded} />
      ${
        report &&
        html`
          <${LeftOut} hypotheses=${context.hypotheses} ids=${report.hypothesis_ids} />
          <${Study} report=${report} />
        `
      }
      ${
        report &&
        open === 'edit' &&
        html`
          <${EditReport} context=${context} report=${report} onSaved=${loaded.reload} onClose=${close} />
        `
      }
      ${
        report?.id &&
        open === 'share' &&
        html`
          <${Sharing} report=${report.id} onClose=${close} />
        `
      }
    </main>
  `;
}

// unlessWritten ignores that a row is there already.
/** @param {unknown} error */
function unlessWritten(error) {
  if (codeOf(error) !== '23505') throw error;
}

// LeftOut says how many hypotheses the report does not have. It is not part of it.
/** @param {{ hypotheses: Hypothesis[], ids: string[] }} props */
function LeftOut({ hypotheses, ids }) {
  const n = hypotheses.filter((h) => !ids.includes(h.id) && h.status !== 'parked').length;
  const are = n === 1 ? 'is' : 'are';
  return (
    n > 0 &&
    html`
      <p class="note">
        ${`${count(n, 'hypothesis', 'hypotheses')} of the project ${are} not in this report.`}
      </p>
    `
  );
}
