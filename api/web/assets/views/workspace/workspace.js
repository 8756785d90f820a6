// A workspace: its name, members, roles and invitations.
import { html, useEffect, useState } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { insert, list, remove, update } from '../../client/api.js';
import { session } from '../../client/session.js';
import { go } from '../../page/router.js';
import { useLoad } from '../../page/load.js';
import { here, loadPlaces, places } from '../../page/places.js';
import { atLeast, date, roles, roleSentences } from '../../page/words.js';
import { Choice, Field, Form } from '../../page/form.js';
import { Dialog } from '../../page/dialog.js';
import { Loading, Problem, Tag, Title } from '../../page/ui.js';
import { problem, toast } from '../../page/messages.js';
import { Audit } from './audit.js';
import { NotHere } from '../frame/notfound.js';

// grantable returns the roles that a member may give: owners all, admins those below their own.
const grantable = (mine) =>
  Object.fromEntries(
    Object.entries(roles).filter(
      ([role]) => mine === 'owner' || (mine === 'admin' && !atLeast(role, 'admin')),
    ),
  );

function Invite({ workspace, onInvited, onClose }) {
  const options = grantable(workspace.role);
  const [done, setDone] = useState(null);
  async function send(form) {
    const { email, role } = Object.fromEntries(new FormData(form));
    const invitation = await insert(
      'workspace_invitations',
      { workspace_id: workspace.id, email: email.trim(), role },
      'id,email,role,created_at,expires_at',
    );
    onInvited(invitation);
    setDone(invitation);
  }
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
              <p>
                <b dir="auto">${done.email}</b>
                ${' '}is invited, and gets an e-mail with a link. They also see the invitation when they sign
                in here with this address. It expires on ${date(done.expires_at)}.
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
                  ${Object.entries(options).map(
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

export function Workspace({ slug }) {
  const all = useStore(places);
  const workspace = all.find((w) => w.slug === slug);
  useEffect(() => here.set(null), []);
  if (!workspace)
    return html`
      <${NotHere} what="workspace" />
    `;
  return html`
    <${Members} key=${workspace.id} workspace=${workspace} />
  `;
}

const expiry = (invitation) =>
  new Date(invitation.expires_at) < new Date() ? 'expired' : `expires on ${date(invitation.expires_at)}`;

function Members({ workspace }) {
  const { user } = useStore(session);
  const manages = atLeast(workspace.role, 'admin');
  const [dialog, setDialog] = useState(null);
  const [demanded, setDemanded] = useState(null); // whether a second factor is required, until that is saved
  const of = { workspace_id: `eq.${workspace.id}` };
  const members = useLoad(
    (signal) =>
      list(
        'workspace_members',
        {
          ...of,
          select: 'user_id,role,created_at,profiles(display_name,email)',
          order: 'created_at,user_id',
        },
        { signal },
      ),
    [workspace.id],
  );
  const invitations = useLoad(
    (signal) =>
      manages
        ? list(
            'workspace_invitations',
            { ...of, select: 'id,email,role,created_at,expires_at', order: 'created_at,id' },
            { signal },
          )
        : [],
    [workspace.id],
  );
  const options = grantable(workspace.role);
  const mayChange = (m) => m.role in options;

  async function setRole(m, role) {
    const key = { ...of, user_id: `eq.${m.user_id}` };
    members.set((rows) => rows.map((one) => (one === m ? { ...m, role } : one)));
    try {
      await update('workspace_members', key, { role });
      if (m.user_id === user.id) await loadPlaces();
    } catch (error) {
      members.reload();
      problem(error);
    }
  }
  async function leave() {
    await remove('workspace_members', { ...of, user_id: `eq.${user.id}` });
    await loadPlaces();
    go('/');
    toast(`You left ${workspace.name}.`);
  }
  async function takeOut(m) {
    await remove('workspace_members', { ...of, user_id: `eq.${m.user_id}` });
    setDialog(null);
    members.set((rows) => rows.filter((one) => one.user_id !== m.user_id));
    toast(`${m.profiles?.display_name || m.profiles?.email} is no longer a member.`);
  }
  async function withdraw(i) {
    invitations.set((rows) => rows.filter((one) => one !== i));
    try {
      await remove('workspace_invitations', { id: `eq.${i.id}` });
    } catch (error) {
      invitations.reload();
      problem(error);
    }
  }
  async function demand(event) {
    const { checked } = event.currentTarget;
    setDemanded(checked);
    try {
      await update('workspaces', { id: `eq.${workspace.id}` }, { require_mfa: checked });
      toast(checked ? 'Members now need a second factor.' : 'A second factor is no longer required.');
    } catch (error) {
      problem(error);
    }
    await loadPlaces().finally(() => setDemanded(null));
  }
  async function rename(form) {
    await update('workspaces', { id: `eq.${workspace.id}` }, { name: new FormData(form).get('name') });
    await loadPlaces();
    setDialog(null);
  }
  return html`
    <main id="main" class="page">
      <header class="head">
        <${Title}>${workspace.name}<//>
        ${
          manages &&
          html`
            <button class="quiet" onClick=${() => setDialog('rename')}>Rename</button>
            <button class="primary" onClick=${() => setDialog('invite')}>Invite</button>
          `
        }
      </header>
      <h2>Members</h2>
      ${
        members.error &&
        html`
          <${Problem} error=${members.error} retry=${members.reload} />
        `
      }
      ${
        !members.data &&
        !members.error &&
        html`
          <${Loading} />
        `
      }
      <ul class="members">
        ${members.data?.map((m) => {
          const name = m.profiles?.display_name || m.profiles?.email || 'A member';
          return html`
            <li key=${m.user_id}>
              <div class="what">
                <p>
                  <b dir="auto">${name}</b>
                  ${
                    m.user_id === user.id &&
                    html`
                      ${' '}
                      <${Tag}>you<//>
                    `
                  }
                </p>
                <p class="meta">
                  <span dir="auto">${m.profiles?.email}</span>
                  <span>member since ${date(m.created_at)}</span>
                </p>
              </div>
              <div class="verdict">
                ${
                  mayChange(m)
                    ? html`
                        <${Choice}
                          plain
                          label=${`Role of ${name}`}
                          value=${m.role}
                          options=${options}
                          onChange=${(role) => setRole(m, role)}
                        />
                      `
                    : html`
                        <span title=${roleSentences[m.role]}>${roles[m.role]}</span>
                      `
                }
                ${
                  m.user_id === user.id
                    ? html`
                        <button class="quiet" onClick=${() => setDialog('leave')}>Leave</button>
                      `
                    : mayChange(m) &&
                      html`
                        <button
                          class="quiet"
                          aria-label=${`Remove ${name}`}
                          onClick=${() => setDialog({ takeOut: m })}
                        >
                          Remove
                        </button>
                      `
                }
              </div>
            </li>
          `;
        })}
      </ul>
      ${
        invitations.data?.length > 0 &&
        html`
          <h2>Invited</h2>
          <ul class="members">
            ${invitations.data.map(
              (i) => html`
                <li key=${i.id}>
                  <div class="what">
                    <b dir="auto">${i.email}</b>
                    <p class="meta">
                      <span>as ${roles[i.role].toLowerCase()}</span>
                      <span>${expiry(i)}</span>
                    </p>
                  </div>
                  <div class="verdict">
                    <button
                      class="quiet"
                      aria-label=${`Withdraw the invitation of ${i.email}`}
                      onClick=${() => withdraw(i)}
                    >
                      Withdraw
                    </button>
                  </div>
                </li>
              `,
            )}
          </ul>
        `
      }
      ${
        workspace.role === 'owner' &&
        html`
          <h2>Security</h2>
          <label class="check">
            <input type="checkbox" checked=${demanded ?? workspace.require_mfa} onChange=${demand} />
            <span>
              Require a second factor.${' '}
              <span class="faint">
                Members without one do not see this workspace. Set up your own first, in the settings.
              </span>
            </span>
          </label>
        `
      }
      ${
        manages &&
        html`
          <${Audit} workspace=${workspace} members=${members.data ?? []} />
        `
      }
      <h2>Projects</h2>
      ${
        workspace.projects.length === 0
          ? html`
              <p class="faint">
                No projects yet.${' '}
                <a href="/">Create one</a>
                .
              </p>
            `
          : html`
              <ul class="plain">
                ${workspace.projects.map(
                  (p) => html`
                    <li key=${p.id}><a href=${`/projects/${p.id}`} dir="auto">${p.name}</a></li>
                  `,
                )}
              </ul>
            `
      }
      ${
        dialog === 'invite' &&
        html`
          <${Invite}
            workspace=${workspace}
            onClose=${() => setDialog(null)}
            onInvited=${(i) => invitations.set((rows) => [...(rows ?? []), i])}
          />
        `
      }
      ${
        dialog === 'rename' &&
        html`
          <${Dialog} title="Rename the workspace" onClose=${() => setDialog(null)}>
            <${Form} send=${rename} submit="Rename" onCancel=${() => setDialog(null)}>
              <${Field} label="Name">
                ${(p) => html`
                  <input ...${p} name="name" required maxlength="200" defaultValue=${workspace.name} />
                `}
              <//>
            <//>
          <//>
        `
      }
      ${
        dialog === 'leave' &&
        html`
          <${Dialog} title="Leave the workspace" onClose=${() => setDialog(null)}>
            <${Form} send=${leave} submit="Leave" onCancel=${() => setDialog(null)}>
              <p>
                You will no longer see${' '}
                <b dir="auto">${workspace.name}</b>
                . To come back, you need a new invitation.
              </p>
            <//>
          <//>
        `
      }
      ${
        dialog?.takeOut &&
        html`
          <${Dialog} title="Remove a member" onClose=${() => setDialog(null)}>
            <${Form} send=${() => takeOut(dialog.takeOut)} submit="Remove" onCancel=${() => setDialog(null)}>
              <p>
                <b dir="auto">${dialog.takeOut.profiles?.display_name || dialog.takeOut.profiles?.email}</b>
                ${' '}will no longer see this workspace. What they wrote is kept.
              </p>
            <//>
          <//>
        `
      }
    </main>
  `;
}
