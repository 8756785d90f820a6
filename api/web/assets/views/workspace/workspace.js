// A workspace: its name, members, roles and invitations.
import { html, useEffect, useState } from '../../page/html.js';
import { list, remove, rpc, update } from '../../client/api.js';
import { session } from '../../client/session.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { problem, toast } from '../../page/messages.js';
import { here, loadPlaces, places } from '../../page/places.js';
import { go } from '../../page/router.js';
import { useStore } from '../../page/store.js';
import { atLeast, date, roles } from '../../page/words.js';
import { Title, Waiting } from '../../page/ui.js';
import { NotFound } from '../frame/notfound.js';
import { Audit } from './audit.js';
import { Ended } from './ended.js';
import { Invite } from './invite.js';
import { MemberList, nameOf } from './members.js';
import { Security, Speakers } from './settings.js';
import { Usage } from './usage.js';

/** @param {{ slug: string }} props */
export function Workspace({ slug }) {
  const all = useStore(places);
  const workspace = all?.find((w) => w.slug === slug);
  useEffect(() => here.set(null), []);
  if (!workspace)
    return html`
      <${NotFound} what="workspace" />
    `;
  return html`
    <${Members} key=${workspace.id} workspace=${workspace} />
  `;
}

/** @typedef {'invite' | 'rename' | 'leave' | { takeOut: Member } | null} Shown the dialog */

// useMembers loads the members of a workspace and its invitations, and changes them.
/** @param {Workspace} workspace */
function useMembers(workspace) {
  const { user } = useStore(session);
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
      atLeast(workspace.role, 'admin')
        ? list(
            'workspace_invitations',
            {
              ...of,
              ended_at: 'is.null',
              select: 'id,email,role,created_at,expires_at',
              order: 'created_at,id',
            },
            { signal },
          )
        : [],
    [workspace.id],
  );
  const ended = useLoad(
    (signal) =>
      atLeast(workspace.role, 'admin') ? rpc('ended_grants', { workspace: workspace.id }, { signal }) : [],
    [workspace.id],
  );
  function reloadGrants() {
    invitations.reload();
    ended.reload();
  }
  return {
    members,
    invitations,
    ended,
    reloadGrants,
    /** @param {Member} m @param {Role} role */
    async setRole(m, role) {
      const key = { ...of, user_id: `eq.${m.user_id}` };
      members.set((rows) => rows.map((one) => (one === m ? { ...one, role } : one)));
      try {
        await update('workspace_members', key, { role });
        reloadGrants();
        if (m.user_id === user?.id) await loadPlaces();
      } catch (error) {
        members.reload();
        problem(error);
      }
    },
    async leave() {
      await remove('workspace_members', { ...of, user_id: `eq.${user?.id}` });
      await loadPlaces();
      go('/');
      toast(`You left ${workspace.name}.`);
    },
    /** @param {Member} m */
    async takeOut(m) {
      await remove('workspace_members', { ...of, user_id: `eq.${m.user_id}` });
      members.set((rows) => rows.filter((one) => one.user_id !== m.user_id));
      reloadGrants();
      toast(`${nameOf(m)} is no longer a member.`);
    },
    /** @param {Invitation} i */
    async withdraw(i) {
      invitations.set((rows) => rows.filter((one) => one !== i));
      try {
        await remove('workspace_invitations', { id: `eq.${i.id}` });
      } catch (error) {
        invitations.reload();
        problem(error);
      }
    },
  };
}

/** @param {{ workspace: Workspace }} props */
function Members({ workspace }) {
  const manages = atLeast(workspace.role, 'admin');
  const [dialog, setDialog] = useState(/** @type {Shown} */ (null));
  const all = useMembers(workspace);
  const { members, invitations } = all;
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
      <${Waiting} for=${members} />
      <${MemberList}
        members=${members.data ?? []}
        workspace=${workspace}
        setRole=${all.setRole}
        onLeave=${() => setDialog('leave')}
        onTakeOut=${(/** @type {Member} */ m) => setDialog({ takeOut: m })}
      />
      ${
        invitations.data &&
        invitations.data.length > 0 &&
        html`
          <${Invited} invitations=${invitations.data} withdraw=${all.withdraw} />
        `
      }
      ${
        all.ended.data &&
        all.ended.data.length > 0 &&
        html`
          <${Ended} workspace=${workspace} grants=${all.ended.data} onChange=${all.reloadGrants} />
        `
      }
      ${
        workspace.role === 'owner' &&
        html`
          <${Security} workspace=${workspace} />
        `
      }
      ${
        manages &&
        html`
          <${Speakers} workspace=${workspace} />
          <${Usage} workspace=${workspace} />
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
      <${Dialogs} workspace=${workspace} dialog=${dialog} all=${all} onClose=${() => setDialog(null)} />
    </main>
  `;
}

/** @param {Invitation} invitation */
const expiry = (invitation) =>
  new Date(invitation.expires_at) < new Date() ? 'expired' : `expires on ${date(invitation.expires_at)}`;

/** @param {{ invitations: Invitation[], withdraw: (invitation: Invitation) => void }} props */
const Invited = ({ invitations, withdraw }) => html`
  <h2>Invited</h2>
  <ul class="members">
    ${invitations.map(
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
`;

/**
 * @param {object} props
 * @param {Workspace} props.workspace
 * @param {Shown} props.dialog
 * @param {ReturnType<typeof useMembers>} props.all
 * @param {() => void} props.onClose
 */
function Dialogs({ workspace, dialog, all, onClose }) {
  /** @param {HTMLFormElement} form */
  async function rename(form) {
    await update('workspaces', { id: `eq.${workspace.id}` }, { name: valuesOf(form).name });
    await loadPlaces();
    onClose();
  }
  if (dialog === 'invite')
    return html`
      <${Invite}
        workspace=${workspace}
        onClose=${onClose}
        onInvited=${(/** @type {Invitation} */ i) => all.invitations.set((rows) => [...(rows ?? []), i])}
      />
    `;
  if (dialog === 'rename')
    return html`
      <${Dialog} title="Rename the workspace" onClose=${onClose}>
        <${Form} send=${rename} submit="Rename" onCancel=${onClose}>
          <${Field} label="Name">
            ${(p) => html`
              <input ...${p} name="name" required maxlength="200" defaultValue=${workspace.name} />
            `}
          <//>
        <//>
      <//>
    `;
  if (dialog === 'leave')
    return html`
      <${Dialog} title="Leave the workspace" onClose=${onClose}>
        <${Form} send=${all.leave} submit="Leave" onCancel=${onClose}>
          <p>
            You will no longer see${' '}
            <b dir="auto">${workspace.name}</b>
            . To come back, you need a new invitation.
          </p>
        <//>
      <//>
    `;
  if (!dialog) return null;
  const { takeOut: member } = dialog;
  async function takeOut() {
    await all.takeOut(member);
    onClose();
  }
  return html`
    <${Dialog} title="Remove a member" onClose=${onClose}>
      <${Form} send=${takeOut} submit="Remove" onCancel=${onClose}>
        <p>
          <b dir="auto">${nameOf(member)}</b>
          ${' '}will no longer see this workspace. What they wrote is kept. Their invitations, links to
          findings and webhooks end, and you can take them over.
        </p>
      <//>
    <//>
  `;
}
