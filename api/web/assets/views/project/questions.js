// The questions of a project for the next interviews.
import { html, useState } from '../../page/html.js';
import { insert, list, update } from '../../client/api.js';
import { removeLater } from '../../page/deletion.js';
import { useLoad } from '../../page/load.js';
import { importances, questionStatus } from '../../page/words.js';
import { Choice, Field, Form, Options } from '../../page/form.js';
import { Dialog } from '../../page/dialog.js';
import { Empty, Loading, Problem, Tag, Title } from '../../page/ui.js';
import { problem } from '../../page/messages.js';
import { personaOptions } from '../hypotheses/personaoptions.js';

const select = 'id,text,status,priority,origin,hypothesis_id,persona_id,answer_evidence_id,created_at';
const rank = { high: 0, medium: 1, low: 2 };

function Edit({ context, question, set, onClose }) {
  const q = question;
  async function send(form) {
    const values = Object.fromEntries(new FormData(form));
    values.hypothesis_id ||= null;
    values.persona_id ||= null;
    if (q) {
      const row = await update('questions', { id: `eq.${q.id}` }, values, select);
      set((all) => all.map((one) => (one.id === q.id ? row : one)));
    } else {
      const row = await insert('questions', { ...values, project_id: context.id }, select);
      set((all) => [...all, row]);
    }
    onClose();
  }
  function drop() {
    onClose();
    const back = () => set((all) => [...all, q]);
    set((all) => all.filter((one) => one.id !== q.id));
    removeLater('questions', { id: `eq.${q.id}` }, 'Question deleted.', { back });
  }
  return html`
    <${Dialog} title=${q ? 'Question' : 'New question'} onClose=${onClose} wide>
      <${Form}
        send=${send}
        submit=${q ? 'Save' : 'Add question'}
        onCancel=${onClose}
        danger=${
          q &&
          html`
            <button type="button" class="danger" onClick=${drop}>Delete</button>
          `
        }
      >
        <${Field}
          label="Question"
          hint="Ask about the past, not about the future: “When did that last happen?”"
        >
          ${(p) => html`
            <textarea
              ...${p}
              name="text"
              rows="2"
              required
              maxlength="2000"
              defaultValue=${q?.text ?? ''}
            ></textarea>
          `}
        <//>
        <${Field} label="Tests the hypothesis">
          ${(p) => html`
            <select ...${p} name="hypothesis_id">
              <option value="">None</option>
              ${context.hypotheses.map(
                (h) => html`
                  <option key=${h.id} value=${h.id} selected=${h.id === q?.hypothesis_id}>
                    ${h.statement}
                  </option>
                `,
              )}
            </select>
          `}
        <//>
        <div class="row">
          <${Field} label="Who to ask">
            ${(p) => html`
              <select ...${p} name="persona_id">
                ${personaOptions(context.personas, q?.persona_id)}
              </select>
            `}
          <//>
          <${Field} label="Priority">
            ${(p) => html`
              <select ...${p} name="priority">
                <${Options} of=${importances} value=${q?.priority ?? 'medium'} />
              </select>
            `}
          <//>
        </div>
      <//>
    <//>
  `;
}

export function Questions({ context }) {
  const [editing, setEditing] = useState(null);
  const { data, error, reload, set } = useLoad(
    (signal) =>
      list('questions', { project_id: `eq.${context.id}`, select, order: 'created_at,id' }, { signal }),
    [context.id],
  );
  const statement = new Map(context.hypotheses.map((h) => [h.id, h.statement]));
  const persona = new Map(context.personas.map((p) => [p.id, p.name]));
  async function mark(q, status) {
    set((all) => all.map((one) => (one.id === q.id ? { ...one, status } : one)));
    try {
      await update('questions', { id: `eq.${q.id}` }, { status });
    } catch (e) {
      set((all) => all.map((one) => (one.id === q.id ? { ...one, status: q.status } : one)));
      problem(e);
    }
  }
  const sorted =
    data &&
    [...data].sort(
      (a, b) =>
        (a.status === 'open' ? 0 : 1) - (b.status === 'open' ? 0 : 1) || rank[a.priority] - rank[b.priority],
    );
  return html`
    <main id="main" class="page">
      <header class="head">
        <${Title}>Questions<//>
        ${
          context.canEdit &&
          html`
            <button class="primary" onClick=${() => setEditing('new')}>New question</button>
          `
        }
      </header>
      ${
        error &&
        html`
          <${Problem} error=${error} retry=${reload} />
        `
      }
      ${
        !data &&
        !error &&
        html`
          <${Loading} />
        `
      }
      ${
        data?.length === 0 &&
        html`
          <${Empty} title="What will you ask next?">
            <p>
              Collect the questions for your next interviews here, each with the hypothesis that it tests. If
              an interview says nothing about a hypothesis, that is a good question.
            </p>
          <//>
        `
      }
      ${
        data?.length > 0 &&
        html`
          <ul class="questions">
            ${sorted.map(
              (q) => html`
                <li key=${q.id} class=${q.status}>
                  <div class="what">
                    <p class="statement" dir="auto">${q.text}</p>
                    <p class="meta">
                      <span class=${'importance ' + q.priority}>${importances[q.priority]} priority</span>
                      ${
                        q.origin === 'ai' &&
                        html`
                          <${Tag} title="Suggested by an AI model, because an interview left it open.">AI<//>
                        `
                      }
                      ${
                        q.persona_id &&
                        html`
                          <span dir="auto">${persona.get(q.persona_id)}</span>
                        `
                      }
                      ${
                        q.hypothesis_id &&
                        html`
                          <a dir="auto" href=${`/projects/${context.id}/evidence?h=${q.hypothesis_id}`}>
                            ${statement.get(q.hypothesis_id)}
                          </a>
                        `
                      }
                    </p>
                  </div>
                  <div class="verdict">
                    ${
                      context.canEdit
                        ? html`
                            <${Choice}
                              plain
                              label="Status"
                              value=${q.status}
                              options=${questionStatus}
                              onChange=${(s) => mark(q, s)}
                            />
                            <button
                              class="quiet"
                              aria-label=${`Edit: ${q.text}`}
                              onClick=${() => setEditing(q)}
                            >
                              Edit
                            </button>
                          `
                        : html`
                            <${Tag}>${questionStatus[q.status]}<//>
                          `
                    }
                  </div>
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
            question=${editing === 'new' ? null : editing}
            set=${set}
            onClose=${() => setEditing(null)}
          />
        `
      }
    </main>
  `;
}
