// A piece of evidence, as shown on the board and beside the transcript, and its actions.
import { html, useState } from '../html.js';
import { insert, remove, removeOnTheWayOut, update, upsert } from '../api.js';
import { clock, matches, origin, reviews, stanceMarks, stanceVerbs, strengths } from '../words.js';
import { Dialog, Field, Form, problem, say, Tag, toast } from '../ui.js';

export const evidenceColumns = 'id,import_id,quote,summary,rationale,speaker,start_ms,end_ms,utterance_from,utterance_to,byte_start,byte_end,match,confidence,origin,review,model,created_at,edited_at';

// review stores the judgement of a person. apply(id, values) changes the view at once, and back on an error.
export async function review(evidence, verdict, apply) {
  const before = evidence.review;
  if (before === verdict) return;
  const write = async (to, from) => {
    apply(evidence.id, { review: to });
    try {
      await update('evidence', { id: `eq.${evidence.id}` }, { review: to }, 'id');
      say(`Quote ${reviews[to]}.`);
    } catch (error) {
      apply(evidence.id, { review: from });
      problem(error);
    }
  };
  toast(verdict === 'rejected' ? 'Rejected – no longer counted.' : verdict === 'accepted' ? 'Accepted.' : 'Marked for review.', { undo: () => write(before, verdict), ms: verdict === 'rejected' ? 8000 : 4000 });
  await write(verdict, before);
}

export function Strength({ value }) {
  const n = { weak: 1, medium: 2, strong: 3 }[value];
  return html`<span class="strength" title=${`${strengths[value]} evidence`}><span class="unseen">${strengths[value]}</span>${[1, 2, 3].map((i) => html`<i key=${i} class=${i <= n ? 'on' : ''} aria-hidden="true"></i>`)}</span>`;
}

// Provenance shows the origin of a quote and how it was checked.
export function Provenance({ evidence: e }) {
  const from = origin(e);
  return html`<${Tag} kind=${'origin ' + e.origin} title=${from.long}>${from.short}<//>${e.origin !== 'human' || e.match === 'manual' ? html`<${Tag} kind=${'match ' + e.match} title=${matches[e.match].long}>${matches[e.match].short}<//>` : html`<${Tag} kind="match verbatim" title=${matches.verbatim.long}>verbatim<//>`}`;
}

export function place(e) {
  return e.import_id && e.byte_start !== null ? `/imports/${e.import_id}?e=${e.id}` : e.import_id ? `/imports/${e.import_id}` : null;
}

// Card shows evidence e. The children are placed between the summary and the details.
export function Card({ e, strength, selected, canEdit, source, onSelect, onReview, onOpen, onEdit, children, cardRef }) {
  const [more, setMore] = useState(false);
  const where = place(e);
  return html`<article ref=${cardRef} class=${`evidence ${e.review}${selected ? ' selected' : ''}`} data-evidence-card=${e.id} tabindex=${selected ? 0 : -1} aria-label=${`${reviews[e.review]}: ${e.quote.slice(0, 120)}`} aria-current=${selected ? 'true' : undefined} onClick=${onSelect} onFocusIn=${onSelect}>
    <blockquote dir="auto">${e.quote}</blockquote>
    ${e.summary && html`<p class="summary" dir="auto">${e.summary}</p>`}
    ${children}
    <p class="meta">
      ${strength && html`<${Strength} value=${strength} />`}
      ${e.speaker && html`<b dir="auto">${e.speaker}</b>`}
      ${e.start_ms !== null && html`<span class="time">${clock(e.start_ms)}</span>`}
      ${source && html`<span dir="auto" class="source">${source}</span>`}
      <${Provenance} evidence=${e} />
      ${!canEdit && html`<${Tag} kind=${'review ' + e.review}>${reviews[e.review]}<//>`}
    </p>
    ${more && e.rationale && html`<p class="rationale" dir="auto">${e.rationale}</p>`}
    <div class="do">
      ${canEdit && html`<button class=${'small' + (e.review === 'accepted' ? ' on' : '')} aria-pressed=${e.review === 'accepted'} onClick=${() => onReview(e.review === 'accepted' ? 'suggested' : 'accepted')}>Accept</button>
        <button class=${'small' + (e.review === 'rejected' ? ' on' : '')} aria-pressed=${e.review === 'rejected'} onClick=${() => onReview(e.review === 'rejected' ? 'suggested' : 'rejected')}>Reject</button>`}
      ${onOpen && html`<button class="small quiet" onClick=${onOpen}>Show</button>`}
      ${!onOpen && where && html`<a class="button small quiet" href=${where} aria-label="Open the transcript at this quote">Open</a>`}
      ${e.rationale && html`<button class="small quiet" aria-expanded=${more} onClick=${() => setMore(!more)}>Why</button>`}
      ${canEdit && onEdit && html`<button class="small quiet" onClick=${onEdit}>Edit</button>`}
    </div>
  </article>`;
}

// StancePicker asks for the stance and the strength of a quote.
export function StancePicker({ stance, strength }) {
  return html`<div class="row">
    <fieldset class="stances"><legend>Stance</legend><div>${Object.entries(stanceVerbs).map(([key, text]) => html`<label key=${key} class=${key}><input type="radio" name="stance" value=${key} required defaultChecked=${key === stance} /><span aria-hidden="true">${stanceMarks[key]}</span> ${text}</label>`)}</div></fieldset>
    <${Field} label="Strength">${(p) => html`<select ...${p} name="strength">${Object.entries(strengths).map(([key, text]) => html`<option key=${key} value=${key} selected=${key === strength}>${text}</option>`)}</select>`}<//>
  </div>`;
}

// EditEvidence changes the summary, the stance and the strength of a quote, but not its words.
export function EditEvidence({ e, link, hypothesis, onSaved, onGone, onBack, onClose }) {
  async function send(form) {
    const { summary, stance, strength } = Object.fromEntries(new FormData(form));
    if (link && (stance !== link.stance || strength !== link.strength)) {
      await update('evidence_hypotheses', { evidence_id: `eq.${e.id}`, hypothesis_id: `eq.${hypothesis.id}` }, { stance, strength });
    }
    if (summary !== e.summary) await update('evidence', { id: `eq.${e.id}` }, { summary }, 'id');
    onSaved({ summary }, { stance, strength });
    onClose();
  }
  function drop(table, filter, text) {
    onClose();
    onGone();
    toast(text, {
      undo: onBack,
      done: (leaving) => {
        if (leaving) removeOnTheWayOut(table, filter);
        else remove(table, filter).catch((error) => { onBack(); problem(error); });
      },
    });
  }
  return html`<${Dialog} title="Edit evidence" onClose=${onClose} wide>
    <blockquote dir="auto">${e.quote}</blockquote>
    <${Form} send=${send} submit="Save" onCancel=${onClose} danger=${html`<span>
        ${link && html`<button type="button" class="danger" onClick=${() => drop('evidence_hypotheses', { evidence_id: `eq.${e.id}`, hypothesis_id: `eq.${hypothesis.id}` }, 'Unlinked from the hypothesis.')}>Unlink from hypothesis</button>`}
        <button type="button" class="danger" onClick=${() => drop('evidence', { id: `eq.${e.id}` }, 'Evidence deleted.')}>Delete</button></span>`}>
      ${hypothesis && html`<p><span class="faint">Hypothesis: </span><span dir="auto">${hypothesis.statement}</span></p>`}
      ${link && html`<${StancePicker} stance=${link.stance} strength=${link.strength} />`}
      <${Field} label="Summary in your own words">${(p) => html`<textarea ...${p} name="summary" rows="2" defaultValue=${e.summary}></textarea>`}<//>
    <//>
  <//>`;
}

// AddEvidence stores a quote and its link to a hypothesis. span is a selection in a transcript; without it
// the person types the quote.
export function AddEvidence({ context, hypothesisId, importId, span, imports, onAdded, onClose }) {
  async function send(form) {
    const { quote, summary, stance, strength, hypothesis, from, speaker } = Object.fromEntries(new FormData(form));
    const row = span
      ? { quote: span.quote, byte_start: span.byteStart, byte_end: span.byteEnd, import_id: importId }
      : { quote: quote.trim(), import_id: from || null, speaker: speaker.trim() };
    const saved = await insert('evidence', { ...row, project_id: context.id, summary, review: 'accepted' }, evidenceColumns);
    try {
      await upsert('evidence_hypotheses', { evidence_id: saved.id, hypothesis_id: hypothesis, project_id: context.id, stance, strength }, 'evidence_id');
    } catch (error) {
      await remove('evidence', { id: `eq.${saved.id}` }).catch(() => {});
      throw error;
    }
    onAdded({ ...saved, evidence_hypotheses: [{ hypothesis_id: hypothesis, stance, strength }] });
    onClose();
  }
  return html`<${Dialog} title="Add evidence" onClose=${onClose} wide>
    ${context.hypotheses.length === 0
      ? html`<p>Evidence supports or contradicts a hypothesis, and this project has none yet. <a href=${`/projects/${context.id}`}>Write one first</a>.</p>`
      : html`<${Form} send=${send} submit="Add evidence" onCancel=${onClose}>
          ${span
            ? html`<blockquote dir="auto">${span.quote}</blockquote>`
            : html`<${Field} label="Quote" hint="Word for word. If the quote is in the selected interview, it is linked to its place there.">${(p) => html`<textarea ...${p} name="quote" rows="3" required></textarea>`}<//>
                <div class="row">
                  <${Field} label="Interview">${(p) => html`<select ...${p} name="from"><option value="">None of these</option>${imports.map((i) => html`<option key=${i.id} value=${i.id}>${i.title}</option>`)}</select>`}<//>
                  <${Field} label="Speaker">${(p) => html`<input ...${p} name="speaker" />`}<//>
                </div>`}
          <${Field} label="Hypothesis">${(p) => html`<select ...${p} name="hypothesis" required>${context.hypotheses.map((h) => html`<option key=${h.id} value=${h.id} selected=${h.id === hypothesisId}>${h.statement}</option>`)}</select>`}<//>
          <${StancePicker} strength="medium" />
          <${Field} label="Summary in your own words">${(p) => html`<textarea ...${p} name="summary" rows="2"></textarea>`}<//>
        <//>`}
  <//>`;
}

