// The report of a study as others see it: on the page, on paper, and by a link.
import { html } from '../../page/html.js';
import { count, headline, hypothesisStatus } from '../../page/words.js';
import { Title } from '../../page/ui.js';
import { restsOn } from '../shared/evidencewords.js';
import { Report } from '../findings/report.js';
import { peopleOf } from '../findings/statements.js';
import { methodOf } from './method.js';

/** @param {{ report: SharedReport }} props */
export function Study({ report }) {
  const { title, summary, method, recommendations, facts, findings } = report;
  return html`
    <header class="report-head">
      <${Title} text=${title}>${title}<//>
    </header>
    <${Part} title="Summary" text=${summary} />
    <${Part} title="Method" text=${method}>
      <ul>
        ${methodOf(facts, findings.length).map(
          (fact) => html`
            <li key=${fact} dir="auto">${fact}</li>
          `,
        )}
      </ul>
    <//>
    <section class="overview" aria-labelledby="overview">
      <h2 id="overview">Findings</h2>
      ${
        findings.length === 0
          ? html`
              <p class="faint">No findings were chosen.</p>
            `
          : html`
              <p class="meta">${count(findings.length, 'hypothesis', 'hypotheses')}</p>
            `
      }
      <ol>
        ${findings.map(
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
    ${findings.map(
      (f, i) => html`
        <${Report} key=${i} f=${f} level=${2} />
      `,
    )}
    <${Part} title="Recommendations" text=${recommendations} />
  `;
}

// Part is a text of the report under its heading, with what follows it; nothing if there is neither.
/** @param {{ title: string, text: string, children?: Children }} props */
const Part = ({ title, text, children }) =>
  (text || children) &&
  html`
    <section class="report-part" aria-label=${title}>
      <h2>${title}</h2>
      ${
        text &&
        html`
          <p dir="auto">${text}</p>
        `
      }
      ${children}
    </section>
  `;
