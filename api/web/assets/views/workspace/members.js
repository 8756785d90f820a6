// The list of the members of a workspace.
import { html } from '../../page/html.js';
import { session } from '../../client/session.js';
import { Decision } from '../../page/form.js';
import { useStore } from '../../page/store.js';
import { date, roles, roleSentences } from '../../page/words.js';
import { Tag } from '../../page/ui.js';
import { grantable } from './invite.js';

/** @param {Member} member */
export const nameOf = ({ profiles: p }) => p?.display_name || p?.email || 'a member';

/**
 * @typedef {object} Actions
 * @property {Workspace} workspace
 * @property {(member: Member, role: Role) => void} setRole
 * @property {() => void} onLeave
 * @property {(member: Member) => void} onTakeOut
 */

/** @param {Actions & { members: Member[] }} props */
export const MemberList = ({ members, ...actions }) => html`
  <ul class="members">
    ${members.map(
      (m) => html`
        <${Row} key=${m.user_id} m=${m} ...${actions} />
      `,
    )}
  </ul>
`;

/** @param {Actions & { m: Member }} props */
function Row({ m, workspace, setRole, onLeave, onTakeOut }) {
  const isUser = m.user_id === useStore(session).user?.id;
  const name = nameOf(m) || 'A member';
  const options = grantable(workspace.role);
  const mayChange = m.role in options;
  return html`
    <li>
      <div class="what">
        <p>
          <b dir="auto">${name}</b>
          ${
            isUser &&
            html`
              ${' '}
              <${Tag}>you<//>
            `
          }
        </p>
        <p class="meta">
          ${
            m.profiles?.email &&
            html`
              <span dir="auto">${m.profiles.email}</span>
            `
          }
          <span>member since ${date(m.created_at)}</span>
        </p>
      </div>
      <div class="verdict">
        ${
          mayChange
            ? html`
                <${Decision}
                  plain
                  label=${`Role of ${name}`}
                  value=${m.role}
                  options=${options}
                  onChange=${(/** @type {Role} */ role) => setRole(m, role)}
                />
              `
            : html`
                <span title=${roleSentences[m.role]}>${roles[m.role]}</span>
              `
        }
        ${
          isUser
            ? html`
                <button class="quiet" onClick=${onLeave}>Leave</button>
              `
            : mayChange &&
              html`
                <button class="quiet" aria-label=${`Remove ${name}`} onClick=${() => onTakeOut(m)}>
                  Remove
                </button>
              `
        }
      </div>
    </li>
  `;
}
