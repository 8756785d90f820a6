// An interview: its analysis, its evidence, and the transcript with the quotes marked.
import { html, useCallback, useEffect, useMemo, useRef, useState } from '../html.js';
import { cancel, list, mirror, one, parse } from '../api.js';
import { useLoad, usePoll } from '../load.js';
import { setQuery } from '../router.js';
import { atLeast, count, dateTime, importSentence, number, percent, results, running, startable, stanceMarks, stances } from '../words.js';
import { Empty, focusOn, Loading, Problem, problem, Progress, say, Tag, Title, toast, undoLatest, useKeys } from '../ui.js';
import { About, ChooseHypotheses, importColumns, overviewsOf, StatusTag } from './interviews.js';
import { AddEvidence, Card, EditEvidence, evidenceColumns, review } from './card.js';
import { useContextOf } from './project.js';
import { NotHere } from './nothere.js';
import { Transcript } from './transcript.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function Import({ id, query }) {
  const first = useLoad((signal) => (uuid.test(id) ? one('imports', { id: `eq.${id}`, select: `project_id,${importColumns}` }, { signal }) : null), [id]);
  if (first.error) return html`<main class="alone"><${Problem} error=${first.error} retry=${first.reload} /></main>`;
  if (first.data === undefined) return html`<main class="alone"><${Loading} /></main>`;
  if (first.data === null) return html`<${NotHere} what="interview" />`;
  return html`<${Read} key=${id} initial=${first.data} query=${query} />`;
}

function Read({ initial, query }) {
  const { found, context, error, reload } = useContextOf(initial.project_id);
  if (!found) return html`<${NotHere} what="interview" />`;
  if (!context) return html`<main class="alone">${error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`}</main>`;
  return html`<${Interview} context=${context} initial=${initial} query=${query} />`;
}

function Interview({ context, initial, query }) {
  const { id } = initial;
  const { canEdit } = context;
  const [row, setRow] = useState(initial);
  const [workflowUrl, setWorkflowUrl] = useState(null);
  const [nudge, setNudge] = useState(0);
  const [dialog, setDialog] = useState(null); // 'parse', {span}, {edit: evidence}
  const [asked, setAsked] = useState(false);
  const [only, setOnly] = useState(''); // a hypothesis
  const [selected, setSelected] = useState({ id: query.get('e') });
  const search = useRef();
  const panel = useRef();
  const status = useRef(initial.status);

  const overview = useLoad((signal) => overviewsOf([id], signal), [id]);
  const text = useLoad((signal) => list('utterances', { import_id: `eq.${id}`, select: 'ordinal,speaker,start_ms,text,byte_start,byte_end', order: 'ordinal' }, { signal }), [id]);
  const found = useLoad(async (signal) => {
    const [evidence, answers] = await Promise.all([
      list('evidence', { import_id: `eq.${id}`, select: `${evidenceColumns},evidence_hypotheses(hypothesis_id,stance,strength)`, order: 'byte_start,id' }, { signal }),
      list('import_hypotheses', { import_id: `eq.${id}`, select: 'hypothesis_id,statement,result,supports_count,contradicts_count,neutral_count', order: 'created_at,hypothesis_id' }, { signal }),
    ]);
    const order = new Map(context.hypotheses.map((h, i) => [h.id, i]));
    return { evidence, answers: answers.sort((a, b) => (order.get(a.hypothesis_id) ?? Infinity) - (order.get(b.hypothesis_id) ?? Infinity)) };
  }, [id]);

  async function ask(signal) {
    const now = await one('imports', { id: `eq.${id}`, select: `project_id,${importColumns}` }, { signal });
    if (!now) return initial;
    setRow(now);
    if (now.workflow_id && atLeast(context.workspace.role, 'admin')) setWorkflowUrl((await mirror(id, { signal })).workflowUrl ?? null);
    if (running(status.current) && !running(now.status)) {
      say(`${now.title}: ${importSentence[now.status]}`);
      setAsked(false);
      found.reload();
    }
    status.current = now.status;
    return now;
  }
  const lost = usePoll(ask, (now) => (running(now.status) ? 1000 : startable(now.status) ? 20_000 : 0), [id, nudge]);

  const start = async (hypothesisIds) => {
    await parse(id, hypothesisIds);
    status.current = 'queued';
    setRow((r) => ({ ...r, status: 'queued', progress_done: 0, progress_total: 0 }));
    setNudge((n) => n + 1);
  };
  async function stop() {
    setAsked(true);
    try {
      await cancel(id);
      toast('Cancelling.', { ms: 4000 });
    } catch (e) {
      setAsked(false);
      problem(e);
    }
    setNudge((n) => n + 1);
  }

  // Hypotheses get their colours in the order of the project.
  const hues = useMemo(() => new Map(context.hypotheses.map((h, i) => [h.id, `hue-${i % 8}`])), [context.hypotheses]);
  const hueOf = useCallback((e) => hues.get((e.evidence_hypotheses.find((l) => l.hypothesis_id === only) ?? e.evidence_hypotheses[0])?.hypothesis_id) ?? 'hue-none', [hues, only]);
  const stanceOf = (e) => (e.evidence_hypotheses.find((l) => l.hypothesis_id === only) ?? e.evidence_hypotheses[0])?.stance;
  const all = found.data?.evidence;
  const evidence = useMemo(() => (all ?? []).filter((e) => (!only || e.evidence_hypotheses.some((l) => l.hypothesis_id === only)) && (e.review !== 'rejected' || e.id === selected.id)), [all, only, selected.id]);
  const listed = (all ?? []).filter((e) => !only || e.evidence_hypotheses.some((l) => l.hypothesis_id === only));
  const statement = new Map([...(found.data?.answers ?? []).map((a) => [a.hypothesis_id, a.statement]), ...context.hypotheses.map((h) => [h.id, h.statement])]);
  const current = listed.find((e) => e.id === selected.id) ?? null;

  const choose = (e, { scroll = true } = {}) => {
    if (!e) return;
    if (scroll) setSelected({ id: e.id });
    else setSelected((s) => (s.id === e.id ? s : { id: e.id }));
    setQuery({ e: e.id });
  };
  const cardOf = (eid) => panel.current?.querySelector(`[data-evidence-card="${CSS.escape(eid)}"]`);
  const showCard = (e) => {
    choose(e);
    requestAnimationFrame(() => {
      cardOf(e.id)?.scrollIntoView({ block: 'nearest' });
      focusOn(cardOf(e.id));
    });
  };
  // On a phone the panel is below the transcript, so selecting a quote scrolls to its words.
  const beside = () => panel.current && getComputedStyle(panel.current).overflowY === 'auto';
  useEffect(() => {
    if (selected.id && beside()) cardOf(selected.id)?.scrollIntoView({ block: 'nearest' });
  }, [!!all]);
  const showWords = (e) => {
    choose(e);
    if (!beside()) panel.current.previousElementSibling.scrollIntoView({ block: 'start' });
  };
  const change = (eid, values) => found.set((d) => ({ ...d, evidence: d.evidence.map((e) => (e.id === eid ? { ...e, ...values } : e)) }));
  const step = (by) => {
    const at = listed.indexOf(current);
    const next = current ? listed[Math.max(0, Math.min(listed.length - 1, at + by))] : listed[0];
    if (next) showCard(next);
  };
  function judge(verdict) {
    if (!current || !canEdit) return;
    const next = listed[listed.indexOf(current) + 1];
    review(current, verdict, change);
    if (next) showCard(next);
  }
  useKeys({ j: () => step(1), k: () => step(-1), a: () => judge('accepted'), r: () => judge('rejected'), u: () => undoLatest(), '/': () => search.current?.focus(), Enter: () => current && showWords(current) });

  const loaded = text.data && found.data;
  const unread = Array.isArray(row.unread) ? row.unread : [];
  return html`<div class="interview">
    <nav class="crumbs" aria-label="Breadcrumbs"><a href=${`/workspaces/${context.workspace.slug}`} dir="auto">${context.workspace.name}</a><span aria-hidden="true"> / </span><a href=${`/projects/${context.id}`} dir="auto">${context.project.name}</a><span aria-hidden="true"> / </span><a href=${`/projects/${context.id}/interviews`}>Interviews</a></nav>
    <main id="main" class="reading">
      <header class="about">
        <div class="words"><${Title} text=${row.title}>${row.title}<//><${About} row=${row} overview=${overview.data?.get(id)} />
          ${row.status === 'parsed' && html`<p class="meta"><span class=${row.coverage < 1 ? 'warn' : ''}>${row.coverage < 1 ? `${percent(row.coverage)} analysed` : '100% analysed'}</span>
            ${row.rejected_count > 0 && html`<span title="The AI quoted words that are not in the transcript. Such quotes never become evidence.">${count(row.rejected_count, 'AI quote')} discarded (not in the transcript)</span>`}
            <span>${row.extractor === 'keyword' ? 'keyword match, no AI' : row.model ? `analysed by ${row.model}` : ''}</span><span>${dateTime(row.finished_at)}</span></p>`}
          ${startable(row.status) && row.status !== 'uploaded' && html`<p class="wrong" role="alert" dir="auto">${row.error_message || importSentence[row.status]}</p>`}
          ${lost && html`<p class="lost" role="status">The connection is lost. A running analysis continues. This page is updated as soon as the server answers again.</p>`}
        </div>
        <div class="state">
          ${running(row.status)
            ? html`<div class="live"><${Progress} done=${row.progress_done} total=${row.progress_total} label=${`Analysing ${row.title}`} /><span class="faint">${asked ? 'cancelling' : row.progress_total > 0 ? `${number(row.progress_done)} of ${count(row.progress_total, 'part')} analysed` : 'waiting for a worker'}</span></div>
              ${canEdit && html`<button disabled=${asked} onClick=${stop}>Cancel</button>`}`
            : html`<${StatusTag} row=${row} />${canEdit && startable(row.status) && html`<button class="primary" onClick=${() => setDialog('parse')}>${row.status === 'uploaded' ? 'Find evidence' : 'Try again'}</button>`}`}
          ${workflowUrl && html`<a class="operators" href=${workflowUrl} target="_blank" rel="noopener noreferrer">Workflow<span class="unseen"> in Temporal UI (new tab)</span> ↗</a>`}
        </div>
      </header>
      ${(text.error || found.error) && html`<${Problem} error=${text.error ?? found.error} retry=${() => { text.reload(); found.reload(); }} />`}
      ${!loaded && !text.error && !found.error && html`<${Loading} what="Loading the transcript" />`}
      ${loaded && html`<div class="panes">
        <${Transcript} utterances=${text.data} evidence=${evidence} unread=${unread} hueOf=${hueOf} stanceOf=${stanceOf} selected=${selected} canEdit=${canEdit} search=${search}
          onMark=${showCard} onQuote=${(span) => span && setDialog({ span })} />
        <aside class="findings" aria-label="Evidence" ref=${panel}>
          ${found.data.answers.length > 0 && html`<section class="answers"><h2>Answers</h2>
            <ul>${found.data.answers.map((a) => html`<li key=${a.hypothesis_id}><button class=${'answer' + (only === a.hypothesis_id ? ' on' : '')} aria-pressed=${only === a.hypothesis_id} onClick=${() => setOnly(only === a.hypothesis_id ? '' : a.hypothesis_id)}>
              <span class=${'swatch ' + (hues.get(a.hypothesis_id) ?? 'hue-none')} aria-hidden="true"></span><span class="statement" dir="auto">${a.statement}</span><${Tag} kind=${'result ' + a.result}>${results[a.result]}<//></button></li>`)}</ul>
            ${unread.length > 0 && html`<p class="warn">${percent(1 - row.coverage)} was not analysed: ${unread.map((u, i) => html`${i > 0 && ', '}turns ${u.from + 1}–${u.to + 1}${u.reason ? ` (${String(u.reason).replaceAll('_', ' ')})` : ''}`)}.</p>`}
          </section>`}
          <section><h2>Evidence <span class="faint">${listed.length}</span></h2>
            ${listed.length === 0 && html`<${Empty} title=${row.status === 'parsed' ? 'No evidence found' : running(row.status) ? 'Analysing…' : 'Not analysed yet'}>
              <p>${row.status === 'parsed' ? 'That is a result too: this interview says nothing about the hypotheses.' : running(row.status) ? 'The evidence appears here when the whole transcript is analysed. You can leave this page in the meantime.' : canEdit ? 'Find evidence for your hypotheses, or select words in the transcript to add evidence yourself.' : 'An editor of this workspace can start the analysis.'}</p><//>`}
            <ol>${listed.map((e) => html`<li key=${e.id}><${Card} e=${e} selected=${e === current} canEdit=${canEdit} onSelect=${() => choose(e, { scroll: false })} onOpen=${() => showWords(e)} onReview=${(v) => review(e, v, change)} onEdit=${() => setDialog({ edit: e })}>
              <ul class="links">${e.evidence_hypotheses.map((l) => html`<li key=${l.hypothesis_id} class=${l.stance}><span class=${'swatch ' + (hues.get(l.hypothesis_id) ?? 'hue-none')} aria-hidden="true"></span><span class=${'stance ' + l.stance}>${stanceMarks[l.stance]} ${stances[l.stance]}</span> <a dir="auto" href=${`/projects/${context.id}/evidence?h=${l.hypothesis_id}`}>${statement.get(l.hypothesis_id)}</a></li>`)}</ul>
            <//></li>`)}</ol>
          </section>
        </aside>
      </div>`}
      ${dialog === 'parse' && html`<${ChooseHypotheses} context=${context} title=${row.title} submit="Find evidence" onStart=${start} onClose=${() => setDialog(null)} />`}
      ${dialog?.span && html`<${AddEvidence} context=${context} importId=${id} span=${dialog.span} hypothesisId=${only} onClose=${() => setDialog(null)}
        onAdded=${(e) => { document.getSelection()?.removeAllRanges(); found.set((d) => ({ ...d, evidence: [...d.evidence, e].sort((x, y) => (x.byte_start ?? 0) - (y.byte_start ?? 0)) })); setSelected({ id: e.id }); toast('Evidence added, word for word from the transcript.', { ms: 4000 }); }} />`}
      ${dialog?.edit && html`<${EditEvidence} e=${dialog.edit} onClose=${() => setDialog(null)} link=${dialog.edit.evidence_hypotheses.length === 1 ? dialog.edit.evidence_hypotheses[0] : null}
        hypothesis=${dialog.edit.evidence_hypotheses.length === 1 ? { id: dialog.edit.evidence_hypotheses[0].hypothesis_id, statement: statement.get(dialog.edit.evidence_hypotheses[0].hypothesis_id) } : null}
        onSaved=${(values, link) => change(dialog.edit.id, { ...values, ...(dialog.edit.evidence_hypotheses.length === 1 && { evidence_hypotheses: [{ ...dialog.edit.evidence_hypotheses[0], ...link }] }) })}
        onGone=${() => found.set((d) => ({ ...d, evidence: d.evidence.filter((e) => e.id !== dialog.edit.id) }))}
        onBack=${() => found.set((d) => ({ ...d, evidence: [...d.evidence, dialog.edit].sort((x, y) => (x.byte_start ?? 0) - (y.byte_start ?? 0)) }))} />`}
    </main>
  </div>`;
}
