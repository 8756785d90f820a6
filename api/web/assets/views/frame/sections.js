// The navigation within a project.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { update } from '../../client/api.js';
import { Icon } from '../../page/icons.js';
import { loadPlaces } from '../../page/places.js';
import { route } from '../../page/router.js';
import { useStore } from '../../page/store.js';
import { atLeast, projectStatus, stages } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options } from '../../page/form.js';

const sections = {
  hypotheses: ['bulb', 'Hypotheses'],
  evidence: ['scales', 'Evidence'],
  themes: ['themes', 'Themes'],
  interviews: ['bubble', 'Interviews'],
  ask: ['ask', 'Ask'],
  questions: ['question', 'Questions'],
  guide: ['next', 'Next interview'],
  personas: ['people', 'Personas'],
  findings: ['check', 'Findings'],
  report: ['page', 'Report'],
};

// sectionOf returns the section that an address belongs to.
/** @param {string} path */
function sectionOf(path) {
  const [, first, , section] = path.split('/');
  if (first === 'imports') return 'interviews';
  if (section === 'review') return 'evidence';
  return first === 'projects' ? (section ?? 'hypotheses') : '';
}

// The hypothesis that somebody last looked at, of each project: evidence and findings open with it.
/** @type {Map<string, string>} */
const lastSeen = new Map();

// addressOf returns the address of a section of a project.
/** @param {string} projectId @param {string} section */
function addressOf(projectId, section) {
  if (section === 'hypotheses') return `/projects/${projectId}`;
  const h = section === 'evidence' || section === 'findings' ? lastSeen.get(projectId) : '';
  return `/projects/${projectId}/${section}${h ? `?h=${encodeURIComponent(h)}` : ''}`;
}

// Links lists the sections of a project.
/** @param {{ projectId: string, path: string }} props */
function Links({ projectId, path }) {
  const { path: shown, query } = useStore(route);
  const h = query.get('h');
  if (h && shown.startsWith(`/projects/${projectId}/`)) lastSeen.set(projectId, h);
  const current = sectionOf(path);
  return Object.entries(sections).map(
    ([key, [icon, text]]) => html`
      <a key=${key} href=${addressOf(projectId, key)} aria-current=${key === current ? 'page' : undefined}>
        <${Icon} name=${icon} />
        <span>${text}</span>
      </a>
    `,
  );
}

// Tabs are the sections on a phone. The current one is scrolled into view: there are more than fit.
/** @param {{ projectId: string, path: string }} props */
export function Tabs({ projectId, path }) {
  /** @type {Ref<HTMLElement>} */
  const ref = useRef();
  useEffect(() => {
    ref.current.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return html`
    <nav class="tabs" aria-label="Project" ref=${ref}><${Links} projectId=${projectId} path=${path} /></nav>
  `;
}

/** @param {{ project: Project, onClose: () => void }} props */
function EditProject({ project, onClose }) {
  /** @param {HTMLFormElement} form */
  async function send(form) {
    await update('projects', { id: `eq.${project.id}` }, Object.fromEntries(new FormData(form)));
    await loadPlaces();
    onClose();
  }
  return html`
    <${Dialog} title="Project" onClose=${onClose}>
      <${Form} send=${send} submit="Save" onCancel=${onClose}>
        <${Field} label="Name">
          ${(p) => html`
            <input ...${p} name="name" required maxlength="200" defaultValue=${project.name} />
          `}
        <//>
        <${Field} label="Description">
          ${(p) => html`
            <textarea ...${p} name="description" rows="3" defaultValue=${project.description}></textarea>
          `}
        <//>
        <div class="row">
          <${Field} label="Stage">
            ${(p) => html`
              <select ...${p} name="stage">
                <${Options} of=${stages} value=${project.stage} />
              </select>
            `}
          <//>
          <${Field} label="Status" hint="Archived projects are hidden from the sidebar.">
            ${(p) => html`
              <select ...${p} name="status">
                <${Options} of=${projectStatus} value=${project.status} />
              </select>
            `}
          <//>
        </div>
      <//>
    <//>
  `;
}

// Sections is the part of the sidebar about the current project.
/** @param {{ workspace: Workspace, project: Project, path: string }} props */
export function Sections({ workspace, project, path }) {
  const [editing, setEditing] = useState(false);
  return html`
    <nav class="sections" aria-label="Project">
      <p class="name">
        <span dir="auto">${project.name}</span>
        ${
          atLeast(workspace.role, 'editor') &&
          html`
            <button
              class="quiet icon"
              aria-label="Edit project"
              title="Edit project"
              onClick=${() => setEditing(true)}
            >
              <${Icon} name="pencil" />
            </button>
          `
        }
      </p>
      <${Links} projectId=${project.id} path=${path} />
      ${
        editing &&
        html`
          <${EditProject} project=${project} onClose=${() => setEditing(false)} />
        `
      }
    </nav>
  `;
}
