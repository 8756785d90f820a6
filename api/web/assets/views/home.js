// All workspaces and their projects; for new users, the first steps.
import { html, useEffect, useState } from '../html.js';
import { useStore } from '../store.js';
import { insert, rpc } from '../api.js';
import { go } from '../router.js';
import { useLoad } from '../load.js';
import { here, loadPlaces, places } from '../places.js';
import { atLeast, projectStatus, roles, stages } from '../words.js';
import { Dialog, Field, Form, problem, Tag, Title, toast } from '../ui.js';

export function NewProject({ workspace, onClose }) {
  async function send(form) {
    const { name, description } = Object.fromEntries(new FormData(form));
    const project = await insert('projects', { workspace_id: workspace.id, name, description }, 'id');
    await loadPlaces();
    onClose?.();
    go(`/projects/${project.id}`);
  }
  return html`<${Form} send=${send} submit="Create project" onCancel=${onClose}>
    <${Field} label="Project" hint="What you want to find out, in a few words.">${(p) => html`<input ...${p} name="name" required maxlength="200" placeholder="Receipts without the chase" />`}<//>
    <${Field} label="Description">${(p) => html`<textarea ...${p} name="description" rows="2"></textarea>`}<//>
  <//>`;
}

function NewWorkspace({ onClose }) {
  async function send(form) {
    await insert('workspaces', { name: new FormData(form).get('name') }, 'id');
    await loadPlaces();
    onClose?.();
  }
  return html`<${Form} send=${send} submit="Create workspace" onCancel=${onClose}>
    <${Field} label="Workspace" hint="Your company or team. Only its members can see what is in it.">${(p) => html`<input ...${p} name="name" required maxlength="200" />`}<//>
  <//>`;
}

function Invitations() {
  const { data, set } = useLoad((signal) => rpc('my_invitations', {}, { signal }), []);
  async function answer(invitation, accept) {
    try {
      await rpc(accept ? 'accept_invitation' : 'decline_invitation', { invitation: invitation.id });
      set((all) => all.filter((i) => i !== invitation));
      toast(accept ? `You are now a member of ${invitation.workspace_name}.` : 'Invitation declined.');
      if (accept) await loadPlaces();
    } catch (error) {
      problem(error);
    }
  }
  return data?.map((i) => html`<section class="invitation card" key=${i.id} aria-label="Invitation">
    <p><b dir="auto">${i.invited_by || 'Someone'}</b> invites you to <b dir="auto">${i.workspace_name}</b> as ${roles[i.role].toLowerCase()}.</p>
    <div class="actions"><button onClick=${() => answer(i, false)}>Decline</button><button class="primary" onClick=${() => answer(i, true)}>Join</button></div>
  </section>`);
}

export function Home() {
  const all = useStore(places);
  const [making, setMaking] = useState(null); // 'workspace', or the workspace of the new project
  useEffect(() => here.set(null), []);
  const first = all.length === 1 && all[0].projects.length === 0 && atLeast(all[0].role, 'editor') ? all[0] : null;
  return html`<main id="main" class="page home">
    <header class="head"><${Title}>Projects<//>${all.length > 0 && html`<button onClick=${() => setMaking('workspace')}>New workspace</button>`}</header>
    <${Invitations} />
    ${all.length === 0 && html`<section class="steps card">
      <h2>Welcome. Get your first evidence in three steps</h2>
      <ol><li>Name a workspace. Only its members can see what is in it.</li><li>Create a project, and write down what you believe as hypotheses.</li><li>Drop the transcript of an interview on the page, and see what supports and what contradicts them.</li></ol>
      <${NewWorkspace} />
    </section>`}
    ${first && html`<section class="steps card"><h2>Your first project</h2><${NewProject} workspace=${first} /></section>`}
    ${all.map((w) => html`<section key=${w.id} class="workspace">
      <header class="head small"><h2 dir="auto"><a href=${`/workspaces/${w.slug}`}>${w.name}</a></h2><span class="faint">${roles[w.role]}</span>
        ${atLeast(w.role, 'editor') && html`<button class="quiet" onClick=${() => setMaking(w)}>New project</button>`}</header>
      ${w.projects.length === 0
        ? w !== first && html`<p class="faint">No projects yet.</p>`
        : html`<ul class="cards">${w.projects.map((p) => html`<li key=${p.id} class="card"><a href=${`/projects/${p.id}`}>
            <h3 dir="auto">${p.name}</h3>${p.description && html`<p dir="auto">${p.description}</p>`}
            <p class="meta"><${Tag}>${stages[p.stage]}<//>${p.status !== 'active' && html`<${Tag}>${projectStatus[p.status]}<//>`}</p></a></li>`)}</ul>`}
    </section>`)}
    ${making === 'workspace' && html`<${Dialog} title="New workspace" onClose=${() => setMaking(null)}><${NewWorkspace} onClose=${() => setMaking(null)} /><//>`}
    ${making?.id && html`<${Dialog} title="New project" onClose=${() => setMaking(null)}><${NewProject} workspace=${making} onClose=${() => setMaking(null)} /><//>`}
  </main>`;
}
