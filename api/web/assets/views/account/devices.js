// Where the user is signed in, with a button that ends each session.
import { html } from '../../page/html.js';
import { account } from '../../client/session.js';
import { useLoad } from '../../page/load.js';
import { dateTime } from '../../page/words.js';
import { device } from './device.js';
import { Tag, Waiting } from '../../page/ui.js';
import { problem } from '../../page/messages.js';

/** @returns {Promise<Device[]>} */
const load = async () => (await account('/sessions')).sessions;

export function Devices() {
  const sessions = useLoad(load, []);
  const { data, reload } = sessions;
  /** @param {string} path @param {string} method */
  async function end(path, method) {
    try {
      await account(path, { method });
    } catch (failed) {
      problem(failed);
    }
    reload();
  }
  if (!data)
    return html`
      <${Waiting} for=${sessions} />
    `;
  return html`
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul class="members">
        ${data.map(
          (s) => html`
            <li key=${s.id}>
              <div class="what">
                <p>
                  <b>${device(s.user_agent)}</b>
                  ${
                    s.current &&
                    html`
                      ${' '}
                      <${Tag}>this browser<//>
                    `
                  }
                </p>
                <p class="meta">
                  <span>${s.ip}</span>
                  <span>last used ${dateTime(s.last_used_at)}</span>
                </p>
              </div>
              <div class="verdict">
                ${
                  !s.current &&
                  html`
                    <button
                      class="quiet"
                      aria-label=${`End the session of ${device(s.user_agent)}`}
                      onClick=${() => end(`/sessions/${s.id}`, 'DELETE')}
                    >
                      End
                    </button>
                  `
                }
              </div>
            </li>
          `,
        )}
      </ul>
      ${
        data.length > 1 &&
        html`
          <div class="actions">
            <button onClick=${() => end('/logout?scope=others', 'POST')}>End all others</button>
          </div>
        `
      }
    </section>
  `;
}
