// The dialog that makes, lists and revokes links to the findings of a hypothesis, or to a report.
import { html, useState } from '../../page/html.js';
import { call, list, remove } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { dateTime } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { problem, say, toast } from '../../page/messages.js';
import { lifetimes, Once } from '../shared/once.js';

/** @typedef {{ id: string, url: string }} Made */

// Sharing shares the findings of a hypothesis or a report, by its id.
/** @param {{ hypothesis?: string, report?: string, onClose: () => void }} props */
export function Sharing({ hypothesis, report, onClose }) {
  const [made, setMade] = useState(/** @type {Made | null} */ (null));
  const links = useLoad(
    (signal) =>
      list(
        'finding_shares',
        {
          ...(report ? { report_id: `eq.${report}` } : { hypothesis_id: `eq.${hypothesis}` }),
          select: 'id,expires_at,show_names,created_at,ended_at,profiles(display_name)',
          order: 'created_at.desc,id',
        },
        { signal },
      ),
    [hypothesis, report],
  );
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const values = new FormData(form);
    const { body } = await call('/api/findings/shares', {
      method: 'POST',
      json: {
        ...(report ? { reportId: report } : { hypothesisId: hypothesis }),
        expiresInDays: Number(values.get('days')),
        showNames: values.has('names'),
      },
    });
    setMade(body);
    links.reload();
    say('The link is ready.');
  }
  /** @param {FindingShare} share */
  async function revoke(share) {
    try {
      await remove('finding_shares', { id: `eq.${share.id}` });
      if (made?.id === share.id) setMade(null);
      toast('Revoked. The link does not work any more.');
    } catch (error) {
      problem(error);
    }
    links.reload();
  }
  return html`
    <${Dialog} title=${report ? 'Share report' : 'Share findings'} onClose=${onClose} keep=${!!made} wide>
      <p>
        Whoever has a link reads ${report ? 'this report and its findings' : 'these findings'} as they are at
        that moment, without an account, and nothing else.
      </p>
      <${Form} send=${send} submit="Create link">
        <div class="row">
          <${Field} label="Expires in">
            ${(p) => html`
              <select ...${p} name="days">
                <${Options} of=${lifetimes} value="30" />
              </select>
            `}
          <//>
        </div>
        <label class="check">
          <input type="checkbox" name="names" />
          Show names of people and titles of interviews
        </label>
        <p class="hint">
          Otherwise they have numbers.${' '}
          ${report ? 'Quotes, reasons and the texts of the report' : 'Quotes and the reason'} are shown as
          they are, also if they contain names.
        </p>
      <//>
      ${
        made &&
        html`
          <${Once} label="The link" value=${made.url} />
        `
      }
      <h3>Links</h3>
      <${Waiting} for=${links} />
      ${
        links.data &&
        html`
          <${Links} shares=${links.data} revoke=${revoke} />
        `
      }
    <//>
  `;
}

/** @param {{ shares: FindingShare[], revoke: (share: FindingShare) => void }} props */
function Links({ shares, revoke }) {
  if (shares.length === 0)
    return html`
      <p class="faint">No links yet.</p>
    `;
  const now = new Date().toISOString();
  return html`
    <ul class="shares">
      ${shares.map(
        (share) => html`
          <li key=${share.id}>
            <span>
              ${
                share.expires_at <= now
                  ? `Expired ${dateTime(share.expires_at)}`
                  : share.ended_at
                    ? `Ended ${dateTime(share.ended_at)}`
                    : `Works until ${dateTime(share.expires_at)}`
              }
              <span class="faint" dir="auto">
                ${[
                  ` · by ${share.profiles?.display_name ?? 'a former member'}`,
                  `on ${dateTime(share.created_at)}`,
                  share.show_names && '· with names',
                ]
                  .filter(Boolean)
                  .join(' ')}
              </span>
            </span>
            <button
              class="small danger"
              aria-label=${`Revoke the link of ${dateTime(share.created_at)}`}
              onClick=${() => revoke(share)}
            >
              ${share.expires_at > now && !share.ended_at ? 'Revoke' : 'Remove'}
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}
