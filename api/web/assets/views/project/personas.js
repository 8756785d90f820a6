// The personas of a project.
import { html, useState } from '../../page/html.js';
import { insert, update } from '../../client/api.js';
import { removeLater } from '../../page/deletion.js';
import { count } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Empty, Title } from '../../page/ui.js';
import { Field, Form } from '../../page/form.js';

const select = 'id,name,description,segment,goals,pains';
const lines = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function Edit({ context, persona, onClose }) {
  const p0 = persona;
  async function send(form) {
    const { name, segment, description, goals, pains } = Object.fromEntries(new FormData(form));
    const values = { name, segment, description, goals: lines(goals), pains: lines(pains) };
    if (p0) {
      const row = await update('personas', { id: `eq.${p0.id}` }, values, select);
      context.set((d) => ({ ...d, personas: d.personas.map((one) => (one.id === p0.id ? row : one)) }));
    } else {
      const row = await insert('personas', { ...values, project_id: context.id }, select);
      context.set((d) => ({ ...d, personas: [...d.personas, row] }));
    }
    onClose();
  }
  function drop() {
    onClose();
    const back = () => context.set((d) => ({ ...d, personas: [...d.personas, p0] }));
    context.set((d) => ({ ...d, personas: d.personas.filter((one) => one.id !== p0.id) }));
    removeLater('personas', { id: `eq.${p0.id}` }, 'Persona deleted.', { back, done: context.reload });
  }
  return html`
    <${Dialog} title=${p0 ? 'Persona' : 'New persona'} onClose=${onClose} wide>
      <${Form}
        send=${send}
        submit=${p0 ? 'Save' : 'Add persona'}
        onCancel=${onClose}
        danger=${
          p0 &&
          html`
            <button type="button" class="danger" onClick=${drop}>Delete</button>
          `
        }
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
    <//>
  `;
}

export function Personas({ context }) {
  const [editing, setEditing] = useState(null);
  const { personas, hypotheses } = context;
  const about = (p) =>
    count(hypotheses.filter((h) => h.persona_id === p.id).length, 'hypothesis', 'hypotheses');
  return html`
    <main id="main" class="page">
      <header class="head">
        <${Title}>Personas<//>
        ${
          context.canEdit &&
          html`
            <button class="primary" onClick=${() => setEditing('new')}>New persona</button>
          `
        }
      </header>
      ${
        personas.length === 0
          ? html`
              <${Empty} title="Who are you interviewing?">
                <p>
                  A persona is a type of person that you interview, such as a head of finance or a sales lead.
                  Hypotheses and interviews can be about a persona, and evidence can be filtered by persona.
                </p>
              <//>
            `
          : html`
              <ul class="cards">
                ${personas.map(
                  (p) => html`
                    <li class="card" key=${p.id}>
                      <header class="head small">
                        <h2 dir="auto">${p.name}</h2>
                        ${
                          context.canEdit &&
                          html`
                            <button
                              class="quiet"
                              aria-label=${`Edit: ${p.name}`}
                              onClick=${() => setEditing(p)}
                            >
                              Edit
                            </button>
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
                      ${
                        p.goals.length > 0 &&
                        html`
                          <h3>Goals</h3>
                          <ul class="plain">
                            ${p.goals.map(
                              (g) => html`
                                <li dir="auto">${g}</li>
                              `,
                            )}
                          </ul>
                        `
                      }
                      ${
                        p.pains.length > 0 &&
                        html`
                          <h3>Pains</h3>
                          <ul class="plain">
                            ${p.pains.map(
                              (g) => html`
                                <li dir="auto">${g}</li>
                              `,
                            )}
                          </ul>
                        `
                      }
                      <p class="foot">
                        <a href=${`/projects/${context.id}/evidence?persona=${p.id}`}>Evidence</a>
                        ${` · ${about(p)}`}
                      </p>
                    </li>
                  `,
                )}
              </ul>
            `
      }
      ${
        editing &&
        html`
          <${Edit}
            context=${context}
            persona=${editing === 'new' ? null : editing}
            onClose=${() => setEditing(null)}
          />
        `
      }
    </main>
  `;
}
