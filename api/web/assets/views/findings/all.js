// The findings of all hypotheses of a project, one after the other: to be read, printed and saved as a whole.
import { html } from '../../page/html.js';
import { rpc } from '../../client/api.js';
import { documentOfAll } from '../export/document.js';
import { useLoad } from '../../page/load.js';
import { count, headline, hypothesisStatus } from '../../page/words.js';
import { Title, Waiting } from '../../page/ui.js';
import { restsOn } from '../shared/evidencewords.js';
import { ALL, FindingsTools } from './tools.js';
import { Report } from './report.js';
import { peopleOf } from './statements.js';

// AllFindings leaves out hypotheses that are parked.
/** @param {{ context: Context, withNames: boolean }} props */
export function AllFindings({ context, withNames }) {
  const hypotheses = context.hypotheses.filter((h) => h.status !== 'parked');
  const loaded = useLoad(
    async (signal) => {
      /** @type {Findings[]} */
      const all = [];
      for (const { id } of hypotheses)
        all.push(await rpc('hypothesis_findings', { hypothesis: id, names: withNames }, { signal }));
      return all;
    },
    [context.id, withNames],
  );
  const all = loaded.data;
  return html`
    <main id="main" class="findings-page">
      <${FindingsTools}
        context=${context}
        value=${ALL}
        withNames=${withNames}
        ready=${!!all}
        shown=${() => ({
          title: context.project.name,
          quotes: (all ?? []).reduce((n, f) => n + f.quotes.length, 0),
          doc: documentOfAll(context.project, all ?? []),
        })}
      />
      <${Waiting} for=${loaded} />
      ${
        all &&
        html`
          <section class="overview" aria-labelledby="overview">
            <p class="meta">${count(all.length, 'hypothesis', 'hypotheses')}</p>
            <${Title} id="overview">${context.project.name}<//>
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
        `
      }
    </main>
  `;
}
