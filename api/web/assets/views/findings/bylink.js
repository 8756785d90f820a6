// The findings or the report that a link shows to people without an account. The token is the fragment of the
// address.
import { html, useEffect, useState } from '../../page/html.js';
import { codeOf, send } from '../../client/http.js';
import { useLoad } from '../../page/load.js';
import { date } from '../../page/words.js';
import { Title, Waiting } from '../../page/ui.js';
import { Study } from '../report/study.js';
import { Report } from './report.js';

export function FindingsByLink() {
  const [token, setToken] = useState(location.hash.slice(1));
  useEffect(() => {
    const change = () => setToken(location.hash.slice(1));
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, []);
  const loaded = useLoad(
    async (signal) =>
      (await send('/api/findings/shared', { headers: { Authorization: `Bearer ${token}` }, signal })).body,
    [token],
  );
  const { data, error } = loaded;
  if (codeOf(error) === 'link_not_found')
    return html`
      <main id="main" class="alone">
        <${Title}>This link does not work<//>
        <p>It has expired or was revoked, or its address is not complete. Ask who sent it for another one.</p>
      </main>
    `;
  if (error)
    return html`
      <main id="main" class="alone">
        <${Title}>Findings<//>
        <${Waiting} for=${loaded} />
      </main>
    `;
  if (!data)
    return html`
      <main id="main" class="alone"><${Waiting} for=${loaded} /></main>
    `;
  return html`
    <main id="main" class="findings-page shared">
      <div class="filters">
        <span class="brand">
          <span class="mark" aria-hidden="true"></span>
          Research
        </span>
        <div class="tasks"><button class="quiet" onClick=${() => window.print()}>Print or PDF</button></div>
      </div>
      ${
        data.report
          ? html`
              <${Study} report=${data.report} />
            `
          : html`
              <${Report} f=${data.findings} />
            `
      }
      <p class="faint ends">This link works until ${date(data.expiresAt)}.</p>
    </main>
  `;
}
