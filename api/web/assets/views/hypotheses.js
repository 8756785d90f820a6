// The hypotheses of a project, with the balance of the evidence for each.
import { html, useState } from '../html.js';
import { insert, remove, removeOnTheWayOut, rpc, update } from '../api.js';
import { useLoad } from '../load.js';
import { categories, date, hypothesisStatus, importances, count } from '../words.js';
import { Balance, Choice, Dialog, Empty, Field, Form, problem, Tag, Title, toast } from '../ui.js';

export const balances = async (projectId, signal) => new Map((await rpc('hypothesis_balances', { project: projectId }, { signal })).map((b) => [b.hypothesis_id, b]));
export const noBalance = { supports: 0, contradicts: 0, neutral: 0, suggested: 0, rejected: 0 };

const select = 'id,persona_id,statement,category,importance,status,falsified_if,decided_by,decided_at,decision_reason,created_at';

const options = (all, value) => Object.entries(all).map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`);
export const personaOptions = (personas, value) => html`<option value="">Anyone</option>${personas.map((p) => html`<option key=${p.id} value=${p.id} selected=${p.id === value}>${p.name}</option>`)}`;

function Edit({ context, hypothesis, onClose }) {
  const h = hypothesis;
  async function send(form) {
    const values = Object.fromEntries(new FormData(form));
    values.persona_id ||= null;
    if (h) {
      const row = await update('hypotheses', { id: `eq.${h.id}` }, values, select);
      context.set((d) => ({ ...d, hypotheses: d.hypotheses.map((one) => (one.id === h.id ? row : one)) }));
    } else {
      const row = await insert('hypotheses', { ...values, project_id: context.id }, select);
      context.set((d) => ({ ...d, hypotheses: [...d.hypotheses, row] }));
    }
    onClose();
  }
  return html`<${Dialog} title=${h ? 'Hypothesis' : 'New hypothesis'} onClose=${onClose} wide>
    <${Form} send=${send} submit=${h ? 'Save' : 'Add hypothesis'} onCancel=${onClose}
      danger=${h && html`<button type="button" class="danger" onClick=${() => { onClose(); drop(context, h); }}>Delete</button>`}>
      <${Field} label="Statement" hint="Something that an interview can support or contradict.">${(p) => html`<textarea ...${p} name="statement" rows="2" required maxlength="2000" defaultValue=${h?.statement ?? ''}></textarea>`}<//>
      <${Field} label="Wrong if" hint="What would you have to hear to give it up? Decide before you listen.">${(p) => html`<textarea ...${p} name="falsified_if" rows="2" defaultValue=${h?.falsified_if ?? ''}></textarea>`}<//>
      <div class="row">
        <${Field} label="About">${(p) => html`<select ...${p} name="persona_id">${personaOptions(context.personas, h?.persona_id)}</select>`}<//>
        <${Field} label="Category">${(p) => html`<select ...${p} name="category">${options(categories, h?.category ?? 'problem')}</select>`}<//>
        <${Field} label="Importance">${(p) => html`<select ...${p} name="importance">${options(importances, h?.importance ?? 'medium')}</select>`}<//>
      </div>
    <//>
  <//>`;
}

// drop deletes a hypothesis as soon as the deletion can no longer be undone.
function drop(context, h) {
  context.set((d) => ({ ...d, hypotheses: d.hypotheses.filter((one) => one.id !== h.id) }));
  const back = () => context.set((d) => ({ ...d, hypotheses: [...d.hypotheses, h].sort((a, b) => a.created_at.localeCompare(b.created_at)) }));
  toast('Hypothesis deleted, with its links to evidence.', {
    undo: back,
    done: (leaving) => {
      const filter = { id: `eq.${h.id}` };
      if (leaving) removeOnTheWayOut('hypotheses', filter);
      else remove('hypotheses', filter).catch((error) => { back(); problem(error); });
    },
  });
}

// Verdict lets a person decide on a hypothesis, with a reason.
export function Verdict({ context, hypothesis: h }) {
  const [wanted, setWanted] = useState(null);
  async function decide(status, reason) {
    const row = await update('hypotheses', { id: `eq.${h.id}` }, { status, decision_reason: reason }, select);
    context.set((d) => ({ ...d, hypotheses: d.hypotheses.map((one) => (one.id === h.id ? row : one)) }));
    setWanted(null);
  }
  const final = (status) => status === 'validated' || status === 'invalidated' || status === 'inconclusive';
  if (!context.canEdit) return html`<${Tag} kind=${'status ' + h.status}>${hypothesisStatus[h.status]}<//>`;
  return html`<${Choice} plain label="Verdict" value=${wanted ?? h.status} options=${hypothesisStatus}
      onChange=${(status) => (final(status) ? setWanted(status) : decide(status, '').catch(problem))} />
    ${wanted && html`<${Dialog} title=${`Verdict: ${hypothesisStatus[wanted]}`} onClose=${() => setWanted(null)}>
      <${Form} send=${(form) => decide(wanted, new FormData(form).get('reason'))} submit="Save verdict" onCancel=${() => setWanted(null)}>
        <p class="quote-like" dir="auto">${h.statement}</p>
        <${Field} label="Reason" hint="Which evidence decided it? Your colleagues can read this.">${(p) => html`<textarea ...${p} name="reason" rows="3" defaultValue=${h.decision_reason}></textarea>`}<//>
      <//><//>`}`;
}

export function Hypotheses({ context }) {
  const [editing, setEditing] = useState(null);
  const { data } = useLoad((signal) => balances(context.id, signal), [context.id]);
  const most = Math.max(1, ...[...(data?.values() ?? [])].map((b) => Math.max(b.supports, b.contradicts)));
  const persona = new Map(context.personas.map((p) => [p.id, p.name]));
  const { hypotheses } = context;
  const waiting = [...(data?.values() ?? [])].reduce((n, b) => n + b.suggested, 0);
  return html`<main id="main" class="page">
    <header class="head"><${Title}>Hypotheses<//>
      ${hypotheses.length > 0 && html`<p class="faint">${count(hypotheses.length, 'hypothesis', 'hypotheses')}${waiting > 0 && html`, <a href=${`/projects/${context.id}/evidence?review=suggested`}>${count(waiting, 'quote')} to review</a>`}</p>`}
      ${context.canEdit && html`<button class="primary" onClick=${() => setEditing('new')}>New hypothesis</button>`}</header>
    ${hypotheses.length === 0
      ? html`<${Empty} title="What do you believe?">
          <p>A hypothesis is a statement about your customers that an interview can support or contradict:</p>
          <p class="quote-like">Chasing missing receipts is the biggest time sink of the month-end close.</p>
          <p>Write down a few, then upload interviews. Evidence against counts as much as evidence for.</p>
          ${context.canEdit && html`<p><button class="primary" onClick=${() => setEditing('new')}>Write the first one</button></p>`}
        <//>`
      : html`<ul class="hypotheses">
          ${hypotheses.map((h) => {
            const b = data?.get(h.id) ?? noBalance;
            return html`<li key=${h.id} class=${'hypothesis ' + h.status}>
              <div class="what">
                <a class="statement" dir="auto" href=${`/projects/${context.id}/evidence?h=${h.id}`}>${h.statement}</a>
                <p class="meta">
                  <span class=${'importance ' + h.importance}>${importances[h.importance]} importance</span><span>${categories[h.category]}</span>
                  ${h.persona_id && html`<span dir="auto">${persona.get(h.persona_id)}</span>`}
                  ${h.decided_at && h.status !== 'untested' && html`<span dir="auto" title=${h.decision_reason}>decided ${date(h.decided_at)}</span>`}
                </p>
              </div>
              <div class="counts">${data && html`<${Balance} ...${b} most=${most} />`}${b.suggested > 0 && html`<span class="faint">${b.suggested} to review</span>`}</div>
              <div class="verdict"><${Verdict} context=${context} hypothesis=${h} />
                ${context.canEdit && html`<button class="quiet" aria-label=${`Edit: ${h.statement}`} onClick=${() => setEditing(h)}>Edit</button>`}</div>
            </li>`;
          })}
        </ul>`}
    ${editing && html`<${Edit} context=${context} hypothesis=${editing === 'new' ? null : editing} onClose=${() => setEditing(null)} />`}
  </main>`;
}
