// What members gave who may no longer give it: an owner or admin takes it over, or removes it.
import { html } from '../../page/html.js';
import { remove, rpc } from '../../client/api.js';
import { problem, toast } from '../../page/messages.js';
import { atLeast, date, roles } from '../../page/words.js';

const kinds = /** @type {const} */ ({
  invitation: { name: 'Invitation', table: 'workspace_invitations' },
  link: { name: 'Link to findings', table: 'finding_shares' },
  webhook: { name: 'Webhook', table: 'webhook_endpoints' },
});

/** @param {EndedGrant} grant */
const nameOf = ({ kind, role }) => kinds[kind].name + (role ? ` as ${roles[role].toLowerCase()}` : '');

/**
 * @param {object} props
 * @param {Workspace} props.workspace
 * @param {EndedGrant[]} props.grants
 * @param {() => void} props.onChange
 */
export function Ended({ workspace, grants, onChange }) {
  /** @param {EndedGrant} grant */
  const mayTakeOver = ({ role }) => workspace.role === 'owner' || !role || !atLeast(role, 'admin');
  /** @param {EndedGrant} grant */
  async function takeOver({ kind, id }) {
    try {
      const works = await rpc('take_over_grant', { kind, id });
      toast(works ? 'Taken over. It works again, in your name.' : 'It has expired, or was removed.');
    } catch (error) {
      problem(error);
    }
    onChange();
  }
  /** @param {EndedGrant} grant */
  async function takeAway({ kind, id }) {
    try {
      await remove(kinds[kind].table, { id: `eq.${id}` });
    } catch (error) {
      problem(error);
    }
    onChange();
  }
  return html`
    <h2>Ended</h2>
    <p class="hint">
      These stopped when whoever gave them left or got a lower role. What is still needed works again when you
      take it over.
    </p>
    <ul class="members">
      ${grants.map(
        (g) => html`
          <li key=${g.id}>
            <div class="what">
              <b dir="auto">${g.what}</b>
              <p class="meta">
                <span>${nameOf(g)}</span>
                <span dir="auto">
                  given by ${g.given_by_name || 'a deleted account'} on ${date(g.given_at)}
                </span>
                <span>ended on ${date(g.ended_at)}</span>
              </p>
            </div>
            <div class="verdict">
              ${
                mayTakeOver(g) &&
                html`
                  <button
                    class="quiet"
                    aria-label=${`Take over: ${nameOf(g)}, ${g.what}`}
                    onClick=${() => takeOver(g)}
                  >
                    Take over
                  </button>
                  <button
                    class="quiet"
                    aria-label=${`Remove: ${nameOf(g)}, ${g.what}`}
                    onClick=${() => takeAway(g)}
                  >
                    Remove
                  </button>
                `
              }
            </div>
          </li>
        `,
      )}
    </ul>
  `;
}
