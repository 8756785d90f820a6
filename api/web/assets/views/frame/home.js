// All workspaces and their projects; for new users, the first steps.
import { html, useEffect, useState } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { insert, rpc } from '../../client/api.js';
import { followed, reloadUser, session } from '../../client/session.js';
import { go } from '../../page/router.js';
import { later } from '../../page/later.js';
import { useLoad } from '../../page/load.js';
import { here, loadPlaces, places } from '../../page/places.js';
import { atLeast, projectStatus, roles, stages } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { problem, toast } from '../../page/messages.js';
import { Tag, Title } from '../../page/ui.js';
import { Unproven } from './unproven.js';

const NoAddress = later(async () => (await import('../account/noaddress.js')).NoAddress, {
  bare: true,
  unseen: true,
});

/** @param {{ workspace: Workspace, onClose?: () => void }} props */
function NewProject({ workspace, onClose }) {
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { name, description } = valuesOf(form);
    const project = await insert('projects', { workspace_id: workspace.id, name, description }, 'id');
    await loadPlaces();
    onClose?.();
    go(`/projects/${project.id}`);
  }
  return html`
    <${Form} send=${send} submit="Create project" onCancel=${onClose}>
      <${Field} label="Project" hint="What you want to find out, in a few words.">
        ${(p) => html`
          <input ...${p} name="name" required maxlength="200" placeholder="Receipts without the chase" />
        `}
      <//>
      <${Field} label="Description">
        ${(p) => html`
          <textarea ...${p} name="description" rows="2"></textarea>
        `}
      <//>
    <//>
  `;
}

/** @param {{ onClose?: () => void }} props */
function NewWorkspace({ onClose }) {
  /** @param {HTMLFormElement} form */
  async function send(form) {
    await insert('workspaces', { name: valuesOf(form).name }, 'id');
    await loadPlaces();
    onClose?.();
  }
  return html`
    <${Form} send=${send} submit="Create workspace" onCancel=${onClose}>
      <${Field} label="Workspace" hint="Your company or team. Only its members can see what is in it.">
        ${(p) => html`
          <input ...${p} name="name" required maxlength="200" />
        `}
      <//>
    <//>
  `;
}

// useInvitations returns the user's invitations, which are undefined until they are loaded, and answer().
function useInvitations() {
  const { data, set, loading } = useLoad((signal) => rpc('my_invitations', {}, { signal }), []);
  const link = useStore(followed);
  /** @param {MyInvitation} invitation @param {boolean} accept */
  async function answer(invitation, accept) {
    try {
      const token = invitation.id === link?.id ? { token: link.token } : {};
      const found = await rpc(accept ? 'accept_invitation' : 'decline_invitation', {
        invitation: invitation.id,
        ...token,
      });
      set((all) => all.filter((i) => i.id !== invitation.id));
      if (invitation.id === link?.id) followed.set(null);
      if (!found) toast('This invitation is no longer valid.');
      else
        toast(
          accept
            ? `You are now a member${invitation.workspace_name ? ` of ${invitation.workspace_name}` : ''}.`
            : 'Invitation declined.',
        );
      if ('token' in token) reloadUser().catch(() => {}); // the link has proven the address
      if (accept) await loadPlaces();
    } catch (error) {
      problem(error);
    }
  }
  // Whose address is not proven yet has no list, but may have followed the link.
  /** @type {MyInvitation[] | undefined} */
  const all = data && link && !data.some((i) => i.id === link.id) ? [{ id: link.id }, ...data] : data;
  return { invitations: all ?? (loading ? undefined : []), answer };
}

/** @param {{ invitations?: MyInvitation[], answer: (i: MyInvitation, accept: boolean) => void }} props */
const Invitations = ({ invitations, answer }) =>
  invitations?.map(
    (i) => html`
      <section class="invitation card" key=${i.id} aria-label="Invitation">
        <p>
          ${
            i.workspace_name
              ? html`
                  <b dir="auto">${i.invited_by || 'Someone'}</b>
                  ${' '}invites you to${' '}
                  <b dir="auto">${i.workspace_name}</b>
                  ${' '}as ${roles[i.role ?? 'viewer'].toLowerCase()}.
                `
              : 'You are invited to a workspace.'
          }
        </p>
        <div class="actions">
          <button onClick=${() => answer(i, false)}>Decline</button>
          <button class="primary" onClick=${() => answer(i, true)}>Join</button>
        </div>
      </section>
    `,
  );

// Locked names the workspaces that require a second factor, which this session does not have.
function Locked() {
  const { data } = useLoad((signal) => rpc('my_locked_workspaces', {}, { signal }), []);
  return data?.map(
    (w) => html`
      <section class="invitation card" key=${w.id} aria-label="Locked workspace">
        <p>
          <b dir="auto">${w.name}</b>
          ${' '}requires a second factor. Set one up to see the workspace.
        </p>
        <div class="actions"><a class="button primary" href="/settings">Settings</a></div>
      </section>
    `,
  );
}

export function Home() {
  const all = useStore(places) ?? [];
  // Where a project is made.
  const [making, setMaking] = useState(/** @type {'workspace' | Workspace | null} */ (null));
  const { invitations, answer } = useInvitations();
  const { user } = useStore(session);
  useEffect(() => here.set(null), []);
  const first =
    all.length === 1 && all[0].projects.length === 0 && atLeast(all[0].role, 'editor') ? all[0] : null;
  return html`
    <main id="main" class="page home">
      <header class="head">
        <${Title}>Projects<//>
        ${
          (all.length > 0 || (invitations && invitations.length > 0)) &&
          html`
            <button onClick=${() => setMaking('workspace')}>New workspace</button>
          `
        }
      </header>
      <${Unproven}>Until you confirm your address, you get no invitations and no digests.<//>
      ${
        !user?.email &&
        html`
          <${NoAddress} />
        `
      }
      <${Invitations} invitations=${invitations} answer=${answer} />
      <${Locked} />
      ${
        all.length === 0 &&
        invitations?.length === 0 &&
        html`
          <section class="steps card">
            <h2>Welcome. Get your first evidence in three steps</h2>
            <ol>
              <li>Name a workspace. Only its members can see what is in it.</li>
              <li>Create a project, and write down what you believe as hypotheses.</li>
              <li>
                Drop the transcript of an interview on the page, and see what supports and what contradicts
                them.
              </li>
            </ol>
            <${NewWorkspace} />
          </section>
        `
      }
      ${
        first &&
        html`
          <section class="steps card">
            <h2>Your first project</h2>
            <${NewProject} workspace=${first} />
          </section>
        `
      }
      ${all.map(
        (w) => html`
          <${Projects} key=${w.id} workspace=${w} isFirst=${w === first} onNew=${() => setMaking(w)} />
        `,
      )}
      ${
        making === 'workspace' &&
        html`
          <${Dialog} title="New workspace" onClose=${() => setMaking(null)}>
            <${NewWorkspace} onClose=${() => setMaking(null)} />
          <//>
        `
      }
      ${
        making &&
        making !== 'workspace' &&
        html`
          <${Dialog} title="New project" onClose=${() => setMaking(null)}>
            <${NewProject} workspace=${making} onClose=${() => setMaking(null)} />
          <//>
        `
      }
    </main>
  `;
}

// Projects lists the projects of a workspace.
/** @param {{ workspace: Workspace, isFirst: boolean, onNew: () => void }} props */
const Projects = ({ workspace: w, isFirst, onNew }) => html`
  <section class="workspace">
    <header class="head small">
      <h2 dir="auto"><a href=${`/workspaces/${w.slug}`}>${w.name}</a></h2>
      <span class="faint">${roles[w.role]}</span>
      ${
        atLeast(w.role, 'editor') &&
        html`
          <button class="quiet" onClick=${onNew}>New project</button>
        `
      }
    </header>
    ${
      w.projects.length === 0
        ? !isFirst &&
          html`
            <p class="faint">No projects yet.</p>
          `
        : html`
            <ul class="cards">
              ${w.projects.map(
                (p) => html`
                  <li key=${p.id} class="card">
                    <a href=${`/projects/${p.id}`}>
                      <h3 dir="auto">${p.name}</h3>
                      ${
                        p.description &&
                        html`
                          <p dir="auto">${p.description}</p>
                        `
                      }
                      <p class="meta">
                        <${Tag}>${stages[p.stage]}<//>
                        ${
                          p.status !== 'active' &&
                          html`
                            <${Tag}>${projectStatus[p.status]}<//>
                          `
                        }
                      </p>
                    </a>
                  </li>
                `,
              )}
            </ul>
          `
    }
  </section>
`;
