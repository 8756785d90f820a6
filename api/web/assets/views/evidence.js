// The evidence board: the evidence for and against one hypothesis, side by side.
import { html, useEffect, useMemo, useRef, useState } from '../html.js';
import { list } from '../api.js';
import { useLoad, usePoll } from '../load.js';
import { go, setQuery } from '../router.js';
import { categories, count, date, importances, importStatus, percent, results, running, stanceMarks, stances } from '../words.js';
import { Balance, Choice, Dialog, Empty, focusOn, Loading, Problem, Tag, Title, undoLatest, useKeys } from '../ui.js';
import { Plot } from '../plot.js';
import { later } from '../later.js';
import { AddEvidence, Card, EditEvidence, evidenceColumns, place, review } from './card.js';
import { balances, noBalance, Verdict } from './hypotheses.js';

const Export = later(async () => (await import('./export.js')).Export);

const WATCH_MS = 2000; // while an interview is being analysed
const filters = { '': 'To review and accepted', suggested: 'To review', accepted: 'Accepted', rejected: 'Rejected', all: 'All' };
const order = ['supports', 'contradicts', 'neutral'];
const explain = {
  supports: 'No supporting evidence yet.', contradicts: 'No contradicting evidence yet. Look for some: a hypothesis that nobody challenged is not tested.', neutral: 'No neutral evidence yet.',
};

function Keys({ onClose }) {
  const keys = { 'j, k': 'next and previous quote', '← →': 'for, against, neutral', a: 'accept', r: 'reject', Enter: 'open the transcript at the quote', u: 'undo', e: 'edit', '[ ]': 'previous and next hypothesis', '?': 'show this list' };
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose}><dl class="keys">${Object.entries(keys).map(([key, text]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl><//>`;
}

// useBoard loads the evidence and the answers for one hypothesis.
function useBoard(context, hypothesisId) {
  return useLoad(async (signal) => {
    if (!hypothesisId) return null;
    const [links, answers] = await Promise.all([
      list('evidence_hypotheses', { hypothesis_id: `eq.${hypothesisId}`, select: `stance,strength,evidence!inner(${evidenceColumns})`, order: 'evidence_id' }, { signal }),
      list('import_hypotheses', { hypothesis_id: `eq.${hypothesisId}`, select: 'import_id,result', order: 'import_id' }, { signal }),
    ]);
    const rows = links.map(({ stance, strength, evidence }) => ({ ...evidence, stance, strength }));
    return { rows, answers };
  }, [hypothesisId]);
}

const shown = (row, filter, touched) =>
  filter === 'all' || touched.has(row.id) || (filter ? row.review === filter : row.review !== 'rejected');

export function Evidence({ context, query }) {
  const { hypotheses, canEdit } = context;
  const hypothesis = hypotheses.find((h) => h.id === query.get('h')) ?? hypotheses[0];
  const totals = useLoad((signal) => balances(context.id, signal), [context.id]);
  const [imports, setImports] = useState({});
  usePoll(async (signal) => {
    const all = await list('imports', { project_id: `eq.${context.id}`, select: 'id,title,persona_id,status,coverage,created_at', order: 'created_at,id' }, { signal });
    setImports({ data: all });
    return all;
  }, (all) => (all.some((i) => running(i.status)) ? WATCH_MS : 0), [context.id]);
  const board = useBoard(context, hypothesis?.id);
  const [selected, setSelected] = useState(null);
  const [dialog, setDialog] = useState(null); // 'keys', 'add', 'export', or the evidence being edited
  const touched = useRef(new Set());
  const cards = useRef(new Map());

  const importOf = useMemo(() => new Map((imports.data ?? []).map((i) => [i.id, i])), [imports.data]);
  const want = { import: query.get('import') ?? '', speaker: query.get('speaker') ?? '', persona: query.get('persona') ?? '', review: query.get('review') ?? '' };
  const rows = board.data?.rows ?? [];
  const wanted = rows.filter((row) =>
    shown(row, want.review, touched.current) && (!want.import || row.import_id === want.import) && (!want.speaker || row.speaker === want.speaker)
    && (!want.persona || importOf.get(row.import_id)?.persona_id === want.persona));
  const when = (row) => importOf.get(row.import_id)?.created_at ?? row.created_at;
  const columns = Object.fromEntries(order.map((stance) => [stance, wanted.filter((row) => row.stance === stance)
    .sort((a, b) => when(a).localeCompare(when(b)) || (a.byte_start ?? 0) - (b.byte_start ?? 0))]));
  const inOrder = order.flatMap((stance) => columns[stance]);
  const current = inOrder.find((row) => row.id === selected) ?? null;
  const speakers = [...new Set(rows.map((row) => row.speaker).filter(Boolean))].sort();
  const hidden = rows.filter((row) => row.review === 'rejected' && !touched.current.has(row.id)).length;

  const steps = useMemo(() => {
    const of = new Map();
    for (const row of rows) {
      if (row.review === 'rejected') continue;
      const key = row.import_id ?? row.created_at.slice(0, 10);
      const i = importOf.get(row.import_id);
      const step = of.get(key) ?? { at: i?.created_at ?? row.created_at, title: i?.title ?? 'Added by hand', supports: 0, contradicts: 0 };
      if (row.stance !== 'neutral') step[row.stance]++;
      of.set(key, step);
    }
    return [...of.values()].sort((a, b) => a.at.localeCompare(b.at));
  }, [rows, importOf]);

  // When the analysis of an interview ends, its evidence is loaded.
  const read = imports.data?.filter((i) => i.status === 'parsed').length;
  const readBefore = useRef();
  useEffect(() => {
    if (readBefore.current !== undefined && read !== readBefore.current) {
      board.reload();
      totals.reload();
    }
    readBefore.current = read;
  }, [read]);
  useEffect(() => {
    setSelected(null);
    touched.current = new Set();
  }, [hypothesis?.id]);

  function change(id, values) {
    touched.current.add(id);
    board.set((d) => ({ ...d, rows: d.rows.map((row) => (row.id === id ? { ...row, ...values } : row)) }));
    totals.reload();
  }
  function select(row) {
    if (!row) return;
    setSelected(row.id);
    requestAnimationFrame(() => {
      const card = cards.current.get(row.id);
      focusOn(card);
      card?.scrollIntoView({ block: 'nearest' });
    });
  }
  const step = (by) => {
    const at = inOrder.indexOf(current);
    select(current ? inOrder[Math.max(0, Math.min(inOrder.length - 1, at + by))] : inOrder[0]);
  };
  function judge(verdict) {
    if (!current || !canEdit) return;
    const next = inOrder[inOrder.indexOf(current) + 1];
    review(current, verdict, change);
    if (next) select(next);
  }
  function sideways(by) {
    if (!current) return select(inOrder[0]);
    const row = columns[current.stance].indexOf(current);
    for (let i = order.indexOf(current.stance) + by; i >= 0 && i < order.length; i += by) {
      const column = columns[order[i]];
      if (column.length > 0) return select(column[Math.min(row, column.length - 1)]);
    }
    return undefined;
  }
  const hop = (by) => {
    const next = hypotheses[hypotheses.indexOf(hypothesis) + by];
    if (next) setQuery({ h: next.id });
  };
  useKeys({
    j: () => step(1), k: () => step(-1), ArrowRight: () => sideways(1), ArrowLeft: () => sideways(-1),
    a: () => judge('accepted'), r: () => judge('rejected'), u: () => undoLatest(), e: () => current && canEdit && setDialog(current),
    Enter: () => current && place(current) && go(place(current)), '[': () => hop(-1), ']': () => hop(1), '?': () => setDialog('keys'),
  });

  if (hypotheses.length === 0) {
    return html`<main id="main" class="page"><header class="head"><${Title}>Evidence<//></header>
      <${Empty} title="No hypotheses yet"><p>Evidence supports or contradicts something that you believe. <a href=${`/projects/${context.id}`}>Write your first hypothesis</a>, then upload an interview.</p><//></main>`;
  }
  const b = totals.data?.get(hypothesis.id) ?? noBalance;
  const most = Math.max(1, ...[...(totals.data?.values() ?? [])].map((x) => Math.max(x.supports, x.contradicts)));
  const nothing = (board.data?.answers ?? []).filter((a) => a.result === 'nothing_found');
  const unanswered = (board.data?.answers ?? []).filter((a) => a.result === 'pending' && importOf.has(a.import_id));
  const pending = unanswered.filter((a) => running(importOf.get(a.import_id).status));
  const ended = unanswered.filter((a) => !pending.includes(a));
  const partly = (board.data?.answers ?? []).map((a) => importOf.get(a.import_id)).filter((i) => i?.status === 'parsed' && i.coverage < 1);
  const filtered = want.import || want.speaker || want.persona || want.review;
  const importLinks = (of) => of.map((a, i) => html`${i > 0 && ', '}<a href=${`/imports/${a.import_id ?? a.id}`} dir="auto">${importOf.get(a.import_id ?? a.id)?.title ?? 'an interview'}</a>`);

  return html`<main id="main" class="board">
    <nav class="switch" aria-label="Hypotheses">
      <h2>Hypotheses</h2>
      <ul>${hypotheses.map((h) => {
        const t = totals.data?.get(h.id) ?? noBalance;
        return html`<li key=${h.id}><a href=${`/projects/${context.id}/evidence?h=${h.id}${want.review ? `&review=${want.review}` : ''}`} aria-current=${h === hypothesis ? 'true' : undefined}>
          <span class="statement" dir="auto">${h.statement}</span><${Balance} ...${t} most=${most} />${t.suggested > 0 && html`<span class="dot" title=${`${t.suggested} to review`}><span class="unseen">${t.suggested} to review</span></span>`}</a></li>`;
      })}</ul>
      <${Choice} label="Hypothesis" value=${hypothesis.id} options=${Object.fromEntries(hypotheses.map((h) => [h.id, h.statement]))} onChange=${(h) => setQuery({ h })} />
    </nav>
    <div class="subject">
      <header class="about">
        <div class="words">
          <p class="meta"><span>${categories[hypothesis.category]}</span><span class=${'importance ' + hypothesis.importance}>${importances[hypothesis.importance]} importance</span></p>
          <${Title} key=${hypothesis.id} class="hypothesis-title" text=${hypothesis.statement}>${hypothesis.statement}<//>
          ${hypothesis.falsified_if && html`<p class="wrong-if" dir="auto"><span class="faint">Wrong if: </span>${hypothesis.falsified_if}</p>`}
          <div class="line"><${Verdict} context=${context} hypothesis=${hypothesis} />
            ${hypothesis.decision_reason && html`<span class="faint" dir="auto">${hypothesis.decision_reason}${hypothesis.decided_at && ` (${date(hypothesis.decided_at)})`}</span>`}</div>
        </div>
        <div class="sum">
          <p class="score"><span class="for"><b>${b.supports}</b> for</span><span class="against"><b>${b.contradicts}</b> against</span><span class="neutral"><b>${b.neutral}</b> neutral</span></p>
          <${Plot} steps=${steps} />
        </div>
      </header>
      <div class="filters" role="group" aria-label="Filter">
        <${Choice} label="Interview" value=${want.import} options=${{ '': 'All interviews', ...Object.fromEntries((imports.data ?? []).map((i) => [i.id, i.title])) }} onChange=${(v) => setQuery({ import: v })} />
        <${Choice} label="Speaker" value=${want.speaker} options=${{ '': 'Everyone', ...Object.fromEntries(speakers.map((s) => [s, s])) }} onChange=${(v) => setQuery({ speaker: v })} />
        ${context.personas.length > 0 && html`<${Choice} label="Persona" value=${want.persona} options=${{ '': 'Any', ...Object.fromEntries(context.personas.map((p) => [p.id, p.name])) }} onChange=${(v) => setQuery({ persona: v })} />`}
        <${Choice} label="Review" value=${want.review} options=${filters} onChange=${(v) => { touched.current = new Set(); setQuery({ review: v }); }} />
        ${filtered && html`<button class="link" onClick=${() => setQuery({ import: null, speaker: null, persona: null, review: null })}>Clear</button>`}
        <span class="grow"></span>
        <div class="tasks">${canEdit && html`<button class="quiet" onClick=${() => setDialog('add')}>Add by hand</button>`}
          <button class="quiet" onClick=${() => setDialog('export')}>Export</button>
          <button class="quiet icon keys-button" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick=${() => setDialog('keys')}>?</button></div>
      </div>
      ${(nothing.length > 0 || unanswered.length > 0 || partly.length > 0) && html`<div class="gaps">
        ${nothing.length > 0 && html`<p><${Tag} kind="result nothing_found">${results.nothing_found}<//> in ${importLinks(nothing)}.</p>`}
        ${partly.length > 0 && html`<p><${Tag} kind="warn">partly analysed<//> ${partly.map((i, n) => html`${n > 0 && ', '}<a href=${`/imports/${i.id}`} dir="auto">${i.title}</a> (${percent(i.coverage)})`)}.</p>`}
        ${pending.length > 0 && html`<p><${Tag}>no answer yet<//> from ${importLinks(pending)}.</p>`}
        ${ended.length > 0 && html`<p><${Tag}>no answer<//> from ${ended.map((a, i) => html`${i > 0 && ', '}${importLinks([a])} (${importStatus[importOf.get(a.import_id).status]})`)}.</p>`}
      </div>`}
      ${board.error && html`<${Problem} error=${board.error} retry=${board.reload} />`}
      ${!board.data && !board.error && html`<${Loading} />`}
      ${board.data && rows.length === 0 && html`<${Empty} title="No evidence yet">
        <p>${nothing.length > 0 ? html`${count(nothing.length, 'interview')} ${nothing.length === 1 ? 'was' : 'were'} searched for this hypothesis, and nothing was found. That is a result too. Ask about it in the next interview.`
          : pending.length > 0 ? 'Interviews are still being searched for this hypothesis.'
          : ended.length > 0 ? 'The analysis ended without an answer. Open the interview to see why, and to try again.'
          : html`No interview was searched for this hypothesis yet. <a href=${`/projects/${context.id}/interviews`}>Upload one</a>, or find evidence in an interview that was not analysed yet.`}</p><//>`}
      ${board.data && rows.length > 0 && html`<div class="columns">${order.map((stance) => html`<section key=${stance} class=${'column ' + stance} aria-labelledby=${'column-' + stance}>
        <h2 id=${'column-' + stance}><span aria-hidden="true">${stanceMarks[stance]}</span> ${stances[stance]} <span class="faint">${columns[stance].length}</span></h2>
        ${columns[stance].length === 0 && html`<p class="faint none">${filtered ? 'Nothing matches the filter.' : explain[stance]}</p>`}
        <ol>${columns[stance].map((row) => html`<li key=${row.id}><${Card} e=${row} strength=${row.strength} selected=${row === current} canEdit=${canEdit} source=${importOf.get(row.import_id)?.title}
          cardRef=${(element) => (element ? cards.current.set(row.id, element) : cards.current.delete(row.id))}
          onSelect=${() => setSelected(row.id)} onReview=${(v) => review(row, v, change)} onEdit=${() => setDialog(row)} /></li>`)}</ol>
      </section>`)}</div>`}
      ${hidden > 0 && !want.review && html`<p class="faint more">${count(hidden, 'rejected quote')} not shown. <button class="link" onClick=${() => setQuery({ review: 'all' })}>Show all</button></p>`}
    </div>
    ${dialog === 'keys' && html`<${Keys} onClose=${() => setDialog(null)} />`}
    ${dialog === 'export' && html`<${Export} context=${context} onClose=${() => setDialog(null)} />`}
    ${dialog === 'add' && html`<${AddEvidence} context=${context} hypothesisId=${hypothesis.id} imports=${imports.data ?? []} onClose=${() => setDialog(null)}
      onAdded=${() => { board.reload(); totals.reload(); }} />`}
    ${dialog?.id && html`<${EditEvidence} e=${dialog} link=${dialog} hypothesis=${hypothesis} onClose=${() => setDialog(null)}
      onSaved=${(values, link) => change(dialog.id, { ...values, ...link })}
      onGone=${() => board.set((d) => ({ ...d, rows: d.rows.filter((row) => row.id !== dialog.id) }))}
      onBack=${() => board.set((d) => ({ ...d, rows: [...d.rows, dialog] }))} />`}
  </main>`;
}
