// The personas of a project.
import { html, useState } from '../../page/html.js';
import { Field, valuesOf } from '../../page/form.js';
import { editing, EditDialog } from '../shared/rows.js';
import { count } from '../../page/words.js';
import { Empty, Title } from '../../page/ui.js';

const select = 'id,name,description,segment,goals,pains';
/** @param {string} text */
const lines = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** @param {{ context: Context, persona: Persona | null, onClose: () => void }} props */
function Edit({ context, persona: p0, onClose }) {
  const { save, drop } = editing('personas', select, context.id, (change) =>
    context.set((d) => ({ ...d, personas: change(d.personas) })),
  );
  return html`
    <${EditDialog}
      title=${p0 ? 'Persona' : 'New persona'}
      submit=${p0 ? 'Save' : 'Add persona'}
      send=${(/** @type {HTMLFormElement} */ form) => {
        const { name, segment, description, goals, pains } = valuesOf(form);
        return save(p0, { name, segment, description, goals: lines(goals), pains: lines(pains) });
      }}
      onDelete=${p0 && (() => drop(p0, 'Persona deleted.', { done: context.reload }))}
      onClose=${onClose}
    >
      <div class="row">
        <${Field} label="Name">
          ${(p) => html`
            <input
              ...${p}
              name="name"
              required
              maxlength="200"
              placeholder="Head of finance"
              defaultValue=${p0?.name ?? ''}
            />
          `}
        <//>
        <${Field} label="Segment">
          ${(p) => html`
            <input
              ...${p}
              name="segment"
              placeholder="Companies of 20 to 100 people"
              defaultValue=${p0?.segment ?? ''}
            />
          `}
        <//>
      </div>
      <${Field} label="Description">
        ${(p) => html`
          <textarea ...${p} name="description" rows="2" defaultValue=${p0?.description ?? ''}></textarea>
        `}
      <//>
      <div class="row">
        <${Field} label="Goals" hint="One per line.">
          ${(p) => html`
            <textarea ...${p} name="goals" rows="4" defaultValue=${(p0?.goals ?? []).join('\n')}></textarea>
          `}
        <//>
        <${Field} label="Pains" hint="One per line.">
          ${(p) => html`
            <textarea ...${p} name="pains" rows="4" defaultValue=${(p0?.pains ?? []).join('\n')}></textarea>
          `}
        <//>
      </div>
    <//>
  `;
}

/** @param {{ context: Context }} props */
export function Personas({ context }) {
  const [edited, setEdited] = useState(/** @type {Persona | 'new' | null} */ (null));
  const { personas } = context;
  return html`
    <main id="main" class="page">
      <header class="head">
        <${Title}>Personas<//>
        ${
          context.canEdit &&
          html`
            <button class="primary" onClick=${() => setEdited('new')}>New persona</button>
          `
        }
      </header>
      ${
        personas.length === 0
          ? html`
              <${Empty} title="Who are you interviewing?">
                <p>
                  A persona is a type of person that you interview, such as a head of finance or a sales lead.
                  Hypotheses can be about a persona, people can have one, and answers can be compared by it.
                  ${!context.canEdit && 'An editor of this workspace can add personas.'}
                </p>
              <//>
            `
          : html`
              <ul class="cards">
                ${personas.map(
                  (p) => html`
                    <${Card} key=${p.id} ...${{ context, p }} onEdit=${() => setEdited(p)} />
                  `,
                )}
              </ul>
            `
      }
      ${
        edited &&
        html`
          <${Edit}
            context=${context}
            persona=${edited === 'new' ? null : edited}
            onClose=${() => setEdited(null)}
          />
        `
      }
    </main>
  `;
}

/** @param {{ context: Context, p: Persona, onEdit: () => void }} props */
function Card({ context, p, onEdit }) {
  const about = context.hypotheses.filter((h) => h.persona_id === p.id);
  return html`
    <li class="card">
      <header class="head small">
        <h2 dir="auto">${p.name}</h2>
        ${
          context.canEdit &&
          html`
            <button class="quiet" aria-label=${`Edit: ${p.name}`} onClick=${onEdit}>Edit</button>
          `
        }
      </header>
      ${
        p.segment &&
        html`
          <p class="faint" dir="auto">${p.segment}</p>
        `
      }
      ${
        p.description &&
        html`
          <p dir="auto">${p.description}</p>
        `
      }
      <${Lines} title="Goals" lines=${p.goals} />
      <${Lines} title="Pains" lines=${p.pains} />
      <p class="foot">
        <a href=${`/projects/${context.id}/evidence?persona=${p.id}`}>Evidence</a>
        ${` · ${count(about.length, 'hypothesis', 'hypotheses')}`}
      </p>
    </li>
  `;
}

/** @param {{ title: string, lines: string[] }} props */
const Lines = ({ title, lines: all }) =>
  all.length > 0 &&
  html`
    <h3>${title}</h3>
    <ul class="plain">
      ${all.map(
        (line) => html`
          <li dir="auto">${line}</li>
        `,
      )}
    </ul>
  `;
