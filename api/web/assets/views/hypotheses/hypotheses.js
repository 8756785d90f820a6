// The hypotheses of a project, with the balance of the evidence for each.
import { html, useState } from '../../page/html.js';
import { insert, update } from '../../client/api.js';
import { removeLater } from '../../page/deletion.js';
import { useLoad } from '../../page/load.js';
import { later } from '../../page/later.js';
import { balances, noBalance, people as loadPeople } from '../../client/people.js';
import { categories, date, importances, count } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Empty, Title } from '../../page/ui.js';
import { Field, Form, Options } from '../../page/form.js';
import { Summary } from './answer.js';
import { personaOptions } from './personaoptions.js';
import { hypothesisColumns, Verdict } from './verdict.js';

const Grid = later(async () => (await import('../project/grid.js')).Grid);
const Several = later(async () => (await import('../project/several.js')).Several);
const SeveralDialog = later(async () => (await import('../project/several.js')).SeveralDialog);

// Edit changes a hypothesis, or adds one. If several lines are typed for a new one, onSeveral gets them on request.
function Edit({ context, hypothesis, onSeveral, onClose }) {
  const h = hypothesis;
  const [lines, setLines] = useState('');
  const several = h ? 0 : lines.split('\n').filter((line) => line.trim()).length;
  async function send(form) {
    const values = Object.fromEntries(new FormData(form));
    values.persona_id ||= null;
    if (h) {
      const row = await update('hypotheses', { id: `eq.${h.id}` }, values, hypothesisColumns);
      context.set((d) => ({ ...d, hypotheses: d.hypotheses.map((one) => (one.id === h.id ? row : one)) }));
    } else {
      const row = await insert('hypotheses', { ...values, project_id: context.id }, hypothesisColumns);
      context.set((d) => ({ ...d, hypotheses: [...d.hypotheses, row] }));
    }
    onClose();
  }
  return html`
    <${Dialog} title=${h ? 'Hypothesis' : 'New hypothesis'} onClose=${onClose} wide>
      <${Form}
        send=${send}
        submit=${h ? 'Save' : 'Add hypothesis'}
        onCancel=${onClose}
        danger=${
          h &&
          html`
            <button
              type="button"
              class="danger"
              onClick=${() => {
                onClose();
                drop(context, h);
              }}
            >
              Delete
            </button>
          `
        }
      >
        <${Field} label="Statement" hint="Something that an interview can support or contradict.">
          ${(p) => html`
            <textarea
              ...${p}
              name="statement"
              rows="2"
              required
              maxlength=${several > 1 ? undefined : 2000}
              defaultValue=${h?.statement ?? ''}
              onInput=${(e) => setLines(e.currentTarget.value)}
            ></textarea>
          `}
        <//>
        ${
          several > 1 &&
          html`
            <p class="note" role="status">
              ${`These are ${several} lines.`}${' '}
              <button type="button" class="link" onClick=${() => onSeveral(lines)}>
                Add each as a hypothesis
              </button>
            </p>
          `
        }
        <${Field}
          label="Wrong if"
          hint="What would you have to hear to give it up? Decide before you listen."
        >
          ${(p) => html`
            <textarea ...${p} name="falsified_if" rows="2" defaultValue=${h?.falsified_if ?? ''}></textarea>
          `}
        <//>
        <div class="row">
          <${Field} label="About">
            ${(p) => html`
              <select ...${p} name="persona_id">
                ${personaOptions(context.personas, h?.persona_id)}
              </select>
            `}
          <//>
          <${Field} label="Category">
            ${(p) => html`
              <select ...${p} name="category">
                <${Options} of=${categories} value=${h?.category ?? 'problem'} />
              </select>
            `}
          <//>
          <${Field} label="Importance">
            ${(p) => html`
              <select ...${p} name="importance">
                <${Options} of=${importances} value=${h?.importance ?? 'medium'} />
              </select>
            `}
          <//>
        </div>
      <//>
    <//>
  `;
}

// drop deletes a hypothesis as soon as the deletion can no longer be undone.
function drop(context, h) {
  context.set((d) => ({ ...d, hypotheses: d.hypotheses.filter((one) => one.id !== h.id) }));
  const back = () =>
    context.set((d) => ({
      ...d,
      hypotheses: [...d.hypotheses, h].sort((a, b) => a.created_at.localeCompare(b.created_at)),
    }));
  removeLater('hypotheses', { id: `eq.${h.id}` }, 'Hypothesis deleted, with its links to evidence.', {
    back,
  });
}

export function Hypotheses({ context }) {
  const [editing, setEditing] = useState(null); // 'new', {several: text}, or a hypothesis
  const { data } = useLoad((signal) => balances(context.id, signal), [context.id]);
  const people = useLoad(
    (signal) => loadPeople(context.id, context.hypotheses, signal),
    [context.id, context.hypotheses],
  );
  const persona = new Map(context.personas.map((p) => [p.id, p.name]));
  const { hypotheses } = context;
  const waiting = [...(data?.values() ?? [])].reduce((n, b) => n + b.suggested, 0);
  return html`
    <main id="main" class="page">
      <header class="head">
        <${Title}>Hypotheses<//>
        ${
          hypotheses.length > 0 &&
          html`
            <p class="faint">
              ${count(hypotheses.length, 'hypothesis', 'hypotheses')}${
                waiting > 0 &&
                html`
                  ,${' '}
                  <a href=${`/projects/${context.id}/review`}>${count(waiting, 'quote')} to review</a>
                `
              }
            </p>
          `
        }
        ${
          context.canEdit &&
          html`
            ${
              hypotheses.length > 0 &&
              html`
                <button onClick=${() => setEditing({ several: '' })}>Add a list</button>
              `
            }
            <button class="primary" onClick=${() => setEditing('new')}>New hypothesis</button>
          `
        }
      </header>
      ${
        hypotheses.length === 0
          ? html`
              <${Empty} title="What do you believe?">
                <p>
                  A hypothesis is a statement about your customers that an interview can support or
                  contradict:
                </p>
                <p class="quote-like">
                  Chasing missing receipts is the biggest time sink of the month-end close.
                </p>
                <p>
                  Write down a few, then upload interviews. Evidence against counts as much as evidence for.
                </p>
                ${
                  context.canEdit &&
                  html`
                    <${Several}
                      context=${context}
                      onAdded=${() => document.querySelector('main h1').focus()}
                    />
                  `
                }
              <//>
            `
          : html`
              <ul class="hypotheses">
                ${hypotheses.map((h) => {
                  const b = data?.get(h.id) ?? noBalance;
                  return html`
                    <li key=${h.id} class=${'hypothesis ' + h.status}>
                      <div class="what">
                        <a class="statement" dir="auto" href=${`/projects/${context.id}/evidence?h=${h.id}`}>
                          ${h.statement}
                        </a>
                        <p class="meta">
                          <span class=${'importance ' + h.importance}>
                            ${importances[h.importance]} importance
                          </span>
                          <span>${categories[h.category]}</span>
                          ${
                            h.persona_id &&
                            html`
                              <span dir="auto">${persona.get(h.persona_id)}</span>
                            `
                          }
                          ${
                            h.decided_at &&
                            h.status !== 'untested' &&
                            html`
                              <span dir="auto" title=${h.decision_reason}>decided ${date(h.decided_at)}</span>
                            `
                          }
                        </p>
                      </div>
                      <div class="counts">
                        <${Summary} people=${people.data?.of.get(h.id)} />
                        ${
                          b.suggested > 0 &&
                          html`
                            <span class="faint">${b.suggested} to review</span>
                          `
                        }
                      </div>
                      <div class="verdict">
                        <${Verdict} context=${context} hypothesis=${h} />
                        ${
                          context.canEdit &&
                          html`
                            <button
                              class="quiet"
                              aria-label=${`Edit: ${h.statement}`}
                              onClick=${() => setEditing(h)}
                            >
                              Edit
                            </button>
                          `
                        }
                      </div>
                    </li>
                  `;
                })}
              </ul>
              ${
                people.data &&
                html`
                  <${Grid} context=${context} people=${people.data.of} />
                `
              }
            `
      }
      ${
        editing?.several !== undefined &&
        html`
          <${SeveralDialog} context=${context} begin=${editing.several} onClose=${() => setEditing(null)} />
        `
      }
      ${
        editing &&
        editing.several === undefined &&
        html`
          <${Edit}
            context=${context}
            hypothesis=${editing === 'new' ? null : editing}
            onSeveral=${(several) => setEditing({ several })}
            onClose=${() => setEditing(null)}
          />
        `
      }
    </main>
  `;
}
