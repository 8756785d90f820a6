// The dialog that invites a member.
import { html, useState } from '../../page/html.js';
import { insert } from '../../client/api.js';
import { session } from '../../client/session.js';
import { isProven } from '../../client/user.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { useStore } from '../../page/store.js';
import { atLeast, date, entriesOf, roles, roleSentences } from '../../page/words.js';
import { Unproven } from '../frame/unproven.js';

// grantable returns the roles that a member may give: owners all, admins those below their own.
/** @param {Role} mine @returns {Partial<Record<Role, string>>} */
export const grantable = (mine) =>
  Object.fromEntries(
    entriesOf(roles).filter(([role]) => mine === 'owner' || (mine === 'admin' && !atLeast(role, 'admin'))),
  );

// withAsciiDomain writes the domain of an address as mail servers know it, which is how browsers write hosts.
/** @param {string} email */
function withAsciiDomain(email) {
  const [name, domain] = email.split(/@(?=[^@]*$)/);
  if (!domain || !/[^\0-\x7f]/.test(domain)) return email;
  try {
    return `${name}@${new URL(`https://${domain}`).hostname}`;
  } catch {
    return email;
  }
}

/**
 * @param {object} props
 * @param {Workspace} props.workspace
 * @param {(invitation: Invitation) => void} props.onInvited
 * @param {() => void} props.onClose
 */
export function Invite({ workspace, onInvited, onClose }) {
  const options = grantable(workspace.role);
  const proven = isProven(useStore(session).user);
  const [done, setDone] = useState(/** @type {Invitation | null} */ (null));
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { email, role } = valuesOf(form);
    const invitation = await insert(
      'workspace_invitations',
      { workspace_id: workspace.id, email: withAsciiDomain(email.trim()), role },
      'id,email,role,created_at,expires_at',
    );
    onInvited(invitation);
    setDone(invitation);
  }
  /** @param {string} email */
  const letter = (email) =>
    `mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Join ${workspace.name}`)}&body=` +
    encodeURIComponent(
      `I invited you to ${workspace.name}. Sign in with this address to join:\n\n${location.origin}/\n`,
    );
  return html`
    <${Dialog} title="Invite a member" onClose=${onClose}>
      ${
        done
          ? html`
              <${Unproven}>
                The e-mail with the invitation is sent once you have confirmed your own address.
              <//>
              <p>
                <b dir="auto">${done.email}</b>
                ${' '}is invited.${' '}
                ${proven && 'They get an e-mail with a link, unless they got several invitations today. '}
                They${proven && ' also'} see the invitation when they sign in here with this address. It
                expires on ${date(done.expires_at)}.
              </p>
              <p>
                <a href=${letter(done.email)}>Write an e-mail</a>
                ${' '}of your own if you want to tell them more.
              </p>
              <div class="actions"><button class="primary" onClick=${onClose}>Done</button></div>
            `
          : html`
              <${Form} send=${send} submit="Invite" onCancel=${onClose}>
                <${Field} label="E-mail">
                  ${(p) => html`
                    <input ...${p} name="email" type="email" required maxlength="320" autocapitalize="none" />
                  `}
                <//>
                <fieldset class="radios">
                  <legend>Role</legend>
                  ${entriesOf(options).map(
                    ([role, text]) => html`
                      <label key=${role}>
                        <input type="radio" name="role" value=${role} defaultChecked=${role === 'editor'} />
                        <span>
                          <b>${text}</b>
                          ${' '}
                          <span class="faint">${roleSentences[role]}</span>
                        </span>
                      </label>
                    `,
                  )}
                </fieldset>
              <//>
            `
      }
    <//>
  `;
}
