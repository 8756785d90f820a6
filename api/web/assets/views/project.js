// A project: the data that its views share, and the view that is shown.
import { html, useEffect, useState } from '../html.js';
import { useStore } from '../store.js';
import { list, update } from '../api.js';
import { useLoad } from '../load.js';
import { findProject, here, loadPlaces, places } from '../places.js';
import { atLeast, projectStatus, stages } from '../words.js';
import { Dialog, Field, Form, Loading, Problem } from '../ui.js';
import { NotHere } from './nothere.js';
import { tabs } from './shell.js';
import { Hypotheses } from './hypotheses.js';
import { Evidence } from './evidence.js';
import { Interviews } from './interviews.js';
import { Questions } from './questions.js';
import { Personas } from './personas.js';

const views = { hypotheses: Hypotheses, evidence: Evidence, interviews: Interviews, questions: Questions, personas: Personas };

// useContextOf loads the data that the views of a project share. reload loads it again.
export function useContextOf(projectId) {
  const all = useStore(places);
  const found = findProject(all, projectId);
  const rows = useLoad(async (signal) => {
    if (!found) return null;
    const of = { project_id: `eq.${projectId}`, order: 'created_at,id' };
    const [hypotheses, personas] = await Promise.all([
      list('hypotheses', { ...of, select: 'id,persona_id,statement,category,importance,status,falsified_if,decided_by,decided_at,decision_reason,created_at' }, { signal }),
      list('personas', { ...of, select: 'id,name,description,segment,goals,pains' }, { signal }),
    ]);
    return { hypotheses, personas };
  }, [projectId, !!found]);
  useEffect(() => {
    if (found) here.set(projectId);
  }, [projectId, !!found]);
  return {
    found,
    error: rows.error,
    reload: rows.reload,
    context: found && rows.data && { ...found, ...rows.data, id: projectId, canEdit: atLeast(found.workspace.role, 'editor'), reload: rows.reload, set: rows.set },
  };
}

function EditProject({ context, onClose }) {
  const { project } = context;
  async function send(form) {
    await update('projects', { id: `eq.${project.id}` }, Object.fromEntries(new FormData(form)));
    await loadPlaces();
    onClose();
  }
  const options = (all, value) => Object.entries(all).map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`);
  return html`<${Dialog} title="Project" onClose=${onClose}><${Form} send=${send} submit="Save" onCancel=${onClose}>
    <${Field} label="Name">${(p) => html`<input ...${p} name="name" required maxlength="200" defaultValue=${project.name} />`}<//>
    <${Field} label="Description">${(p) => html`<textarea ...${p} name="description" rows="3" defaultValue=${project.description}></textarea>`}<//>
    <div class="row"><${Field} label="Stage">${(p) => html`<select ...${p} name="stage">${options(stages, project.stage)}</select>`}<//>
    <${Field} label="Status" hint="Archived projects are hidden from the sidebar.">${(p) => html`<select ...${p} name="status">${options(projectStatus, project.status)}</select>`}<//></div>
  <//><//>`;
}

export function Project({ id, view = 'hypotheses', query }) {
  const { found, context, error, reload } = useContextOf(id);
  const [editing, setEditing] = useState(false);
  const View = views[view];
  if (!View) return html`<${NotHere} />`;
  if (!found) return html`<${NotHere} what="project" />`;
  if (!context) return html`<main class="alone">${error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`}</main>`;
  return html`<div class="project">
    <nav class="crumbs" aria-label="Breadcrumbs"><a href=${`/workspaces/${found.workspace.slug}`} dir="auto">${found.workspace.name}</a><span aria-hidden="true"> / </span><span dir="auto">${found.project.name}</span>
      ${context.canEdit && html`<button class="link" onClick=${() => setEditing(true)}>Edit project</button>`}</nav>
    <nav class="tabs" aria-label="Project">${Object.entries(tabs).map(([key, text]) => html`<a key=${key} href=${key === 'hypotheses' ? `/projects/${id}` : `/projects/${id}/${key}`} aria-current=${key === view ? 'page' : undefined}>${text}</a>`)}</nav>
    <${View} key=${id + view} context=${context} query=${query} />
    ${editing && html`<${EditProject} context=${context} onClose=${() => setEditing(false)} />`}
  </div>`;
}
