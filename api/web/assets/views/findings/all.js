// The report of a project: its texts, and the findings that it has, one after the other: to be read, printed
// and saved as a whole.
import { html, useState } from '../../page/html.js';
import { rpc } from '../../client/api.js';
import { documentOfAll } from '../export/document.js';
import { useLoad } from '../../page/load.js';
import { count, headline, hypothesisStatus } from '../../page/words.js';
import { Title, Waiting } from '../../page/ui.js';
import { restsOn } from '../shared/evidencewords.js';
import { ALL, FindingsTools } from './tools.js';
import { Report } from './report.js';
import { EditReport, factsOf, inReport, loadReport } from './project.js';
import { peopleOf } from './statements.js';

// AllFindings leaves out hypotheses that are parked, unless people choose otherwise.
/** @param {{ context: Context, withNames: boolean }} props */
export function AllFindings({ context, withNames }) {
  const [editing, setEditing] = useState(false);
  const loaded = useLoad(
    async (signal) => {
      const { report, interviews } = await loadReport(context.id, signal);
      /** @type {Findings[]} */
      const all = [];
      for (const { id } of inReport(context.hypotheses, report))
        all.push(await rpc('hypothesis_findings', { hypothesis: id, names: withNames }, { signal }));
      return { all, report, interviews };
    },
    [context.id, withNames],
  );
  const { all, report, interviews } = loaded.data ?? { interviews: [] };
  const title = report?.title || context.project.name;
  const method = [report?.method, factsOf(interviews, all ?? [])].filter((text) => !!text).join('\n');
  return html`
    <main id="main" class="findings-page">
      <${FindingsTools}
        context=${context}
        value=${ALL}
        withNames=${withNames}
        ready=${!!all}
        shown=${() => ({
          title,
          quotes: (all ?? []).reduce((n, f) => n + f.quotes.length, 0),
          doc: documentOfAll(
            {
              title: report?.title || `Findings: ${title}`,
              summary: report?.summary ?? '',
              method,
              recommendations: report?.recommendations ?? '',
            },
            all ?? [],
          ),
        })}
      >
        ${
          context.canEdit &&
          html`
            <button class="primary" disabled=${!all} onClick=${() => setEditing(true)}>Edit report</button>
          `
        }
      <//>
      <${Waiting} for=${loaded} />
      ${
        all &&
        html`
          <section class="overview" aria-labelledby="overview">
            <p class="meta">${count(all.length, 'hypothesis', 'hypotheses')}</p>
            <${Title} id="overview">${title}<//>
            <${Part} title="Summary" text=${report?.summary} />
            <${Part} title="Method" text=${method} />
            <ol>
              ${all.map(
                (f, i) => html`
                  <li key=${i}>
                    <span class="statement" dir="auto">${f.statement}</span>
                    <span class="says">
                      ${headline(peopleOf(f.people)).map(
                        ({ text, stance }, at) => html`
                          ${at > 0 && ', '}
                          <span key=${stance} class=${'stance ' + stance}>${text}</span>
                        `,
                      )}
                    </span>
                    <span class="word">${hypothesisStatus[f.status]}</span>
                    <span class="rests-on">${restsOn(f.evidence)}</span>
                  </li>
                `,
              )}
            </ol>
          </section>
          ${all.map(
            (f, i) => html`
              <${Report} key=${i} f=${f} level=${2} />
            `,
          )}
          <${Part} title="Recommendations" text=${report?.recommendations} />
        `
      }
      ${
        editing &&
        html`
          <${EditReport}
            context=${context}
            report=${report}
            onSaved=${loaded.reload}
            onClose=${() => setEditing(false)}
          />
        `
      }
    </main>
  `;
}

// Part is a text of the report, if there is one.
/** @param {{ title: string, text: string | undefined }} props */
const Part = ({ title, text }) =>
  text &&
  html`
    <section class="report-part" aria-label=${title}>
      <h2>${title}</h2>
      <p dir="auto">${text}</p>
    </section>
  `;
