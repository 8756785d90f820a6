// The interviews of a project: uploads and the progress of their analysis.
import { html, useEffect, useRef, useState } from '../html.js';
import { cancel, list, parse, rpc, upload } from '../api.js';
import { usePoll } from '../load.js';
import { count, date, duration, formats, importSentence, importStatus, names, number, percent, running, size, startable } from '../words.js';
import { Choice, Dialog, Empty, Loading, Problem, problem, Progress, say, sentence, Tag, Title, toast } from '../ui.js';

export const importColumns = 'id,title,filename,format,size_bytes,language,persona_id,status,progress_done,progress_total,error_code,error_message,extractor,model,evidence_count,rejected_count,coverage,unread,workflow_id,run_id,sha256,created_at,started_at,finished_at';

const MAX_BYTES = 10 * 2 ** 20; // the limit of the service
const WATCH_MS = 1000; // while an analysis runs
const IDLE_MS = 20_000; // shows the changes of other members
const AT_ONCE = 3; // parallel uploads

// The speakers and lengths of imports, by import. They never change, so each is loaded once.
const overviews = new Map();
export async function overviewsOf(ids, signal) {
  const missing = ids.filter((id) => !overviews.has(id));
  for (let i = 0; i < missing.length; i += 100) {
    for (const row of await rpc('import_overviews', { imports: missing.slice(i, i + 100) }, { signal })) overviews.set(row.import_id, row);
  }
  return overviews;
}

export function About({ row, overview }) {
  const o = overview;
  return html`<p class="meta">
    <span>${formats[row.format] ?? row.format}</span>
    ${o && html`<span>${o.duration_ms ? duration(o.duration_ms) : count(Number(o.words), 'word')}</span>`}
    ${o && o.speakers.length > 0 && html`<span dir="auto" title=${o.speakers.join(', ')}>${names(o.speakers)}</span>`}
    <span>${date(row.created_at)}</span>
  </p>`;
}

export function StatusTag({ row }) {
  return html`<${Tag} kind=${'import ' + row.status} title=${importSentence[row.status]}>${importStatus[row.status]}<//>`;
}

// Outcome shows the result of a finished analysis.
export function Outcome({ row }) {
  if (row.status === 'parsed') {
    return html`<p class="meta">
      <span>${row.evidence_count === 0 ? 'no evidence found' : count(row.evidence_count, 'quote')}</span>
      <span class=${row.coverage < 1 ? 'warn' : ''}>${row.coverage < 1 ? `${percent(row.coverage)} analysed` : '100% analysed'}</span>
      ${row.rejected_count > 0 && html`<span title="The AI quoted words that are not in the transcript. Such quotes never become evidence.">${count(row.rejected_count, 'AI quote')} discarded (not in the transcript)</span>`}
      ${row.extractor === 'keyword' && html`<span title="No AI model is configured, so keywords were matched.">keyword match, no AI</span>`}
    </p>`;
  }
  if (startable(row.status) && row.status !== 'uploaded') return html`<p class="wrong" dir="auto">${row.error_message || importSentence[row.status]}</p>`;
  return null;
}

// ChooseHypotheses asks for which hypotheses to find evidence.
export function ChooseHypotheses({ context, title, onStart, onClose, submit }) {
  const alive = context.hypotheses.filter((h) => h.status !== 'parked');
  const [chosen, setChosen] = useState(new Set(alive.slice(0, 100).map((h) => h.id)));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const toggle = (id) => setChosen((now) => {
    const next = new Set(now);
    if (!next.delete(id)) next.add(id);
    return next;
  });
  async function start() {
    setBusy(true);
    setError(null);
    try {
      await onStart([...chosen]);
      onClose();
    } catch (e) {
      setError(e);
      setBusy(false);
    }
  }
  return html`<${Dialog} title=${title} onClose=${onClose} wide>
    ${context.hypotheses.length === 0
      ? html`<p>There are no hypotheses yet. To have something to find evidence for, <a href=${`/projects/${context.id}`} onClick=${onClose}>write a hypothesis</a> first.</p>`
      : html`<fieldset class="pick"><legend>Find evidence for and against</legend>
          <p class="row-actions"><button class="link" onClick=${() => setChosen(new Set(context.hypotheses.slice(0, 100).map((h) => h.id)))}>All</button><button class="link" onClick=${() => setChosen(new Set())}>None</button></p>
          <ul>${context.hypotheses.map((h) => html`<li key=${h.id}><label><input type="checkbox" checked=${chosen.has(h.id)} onChange=${() => toggle(h.id)} /><span dir="auto">${h.statement}</span></label></li>`)}</ul>
        </fieldset>
        ${chosen.size > 100 && html`<p class="wrong" role="alert">Choose at most 100 hypotheses.</p>`}
        ${error && html`<p class="wrong" role="alert" dir="auto">${sentence(error)}</p>`}
        <div class="actions"><button onClick=${onClose}>Cancel</button><button class="primary" disabled=${busy || chosen.size === 0 || chosen.size > 100} onClick=${start}>${submit}</button></div>`}
  <//>`;
}

let nextUpload = 1;

// useUploads uploads files, a few at a time, and returns their progress.
function useUploads(context, personaId, onDone) {
  const [items, setItems] = useState([]);
  const queue = useRef([]);
  const active = useRef(0);
  const change = (id, values) => setItems((all) => all.map((one) => (one.id === id ? { ...one, ...values } : one)));
  const gone = useRef(false);
  useEffect(() => () => { gone.current = true; }, []);
  async function next() {
    if (active.current >= AT_ONCE || queue.current.length === 0) return;
    const item = queue.current.shift();
    active.current++;
    change(item.id, { state: 'sending', error: null });
    try {
      const answer = await upload({ projectId: context.id, personaId: item.personaId, file: item.file, signal: item.control.signal }, (part) => change(item.id, { part }));
      change(item.id, { state: 'done', part: 1, answer });
      say(`${item.file.name} is uploaded.`);
      if (!gone.current) await onDone(answer.importId);
      setItems((all) => all.filter((one) => one.id !== item.id));
    } catch (error) {
      if (!item.control.signal.aborted) change(item.id, { state: 'failed', error });
    }
    active.current--;
    next();
  }
  function send(item) {
    queue.current.push(item);
    next();
  }
  return {
    items,
    add(files) {
      const added = [...files].map((file) => ({ id: nextUpload++, file, part: 0, state: 'waiting', error: null, personaId: personaId || null, control: new AbortController() }));
      setItems((all) => [...all, ...added]);
      for (const item of added) {
        if (item.file.size > MAX_BYTES) change(item.id, { state: 'failed', refused: true, error: new Error(`The file is larger than ${size(MAX_BYTES)} (${size(item.file.size)}). Split the transcript.`) });
        else if (item.file.size === 0) change(item.id, { state: 'failed', refused: true, error: new Error('The file is empty.') });
        else send(item);
      }
    },
    again(item) {
      change(item.id, { state: 'waiting', part: 0, error: null });
      send(item);
    },
    drop(item) {
      item.control.abort(new Error('removed'));
      queue.current = queue.current.filter((one) => one.id !== item.id);
      setItems((all) => all.filter((one) => one.id !== item.id));
    },
  };
}

function DropZone({ context, personaId, setPersonaId, onFiles }) {
  const [over, setOver] = useState(false);
  const input = useRef();
  const depth = useRef(0);
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  return html`<section class=${'drop' + (over ? ' over' : '')} aria-label="Upload transcripts"
    onDragEnter=${(e) => { if (hasFiles(e)) { e.preventDefault(); depth.current++; setOver(true); } }}
    onDragOver=${(e) => { if (hasFiles(e)) e.preventDefault(); }}
    onDragLeave=${() => { if (--depth.current <= 0) { depth.current = 0; setOver(false); } }}
    onDrop=${(e) => { e.preventDefault(); depth.current = 0; setOver(false); onFiles(e.dataTransfer.files); }}>
    <p><b>Drop transcripts here</b> or <button class="link" onClick=${() => input.current.click()}>choose files</button></p>
    <p class="hint">From Zoom, Teams, Meet, Otter, Rev, Fireflies, Whisper…: .vtt, .srt, .sbv, .txt, .md, .json, .docx, up to 10 MB each.</p>
    ${context.personas.length > 0 && html`<${Choice} label="Who was interviewed" value=${personaId} options=${{ '': 'Not specified', ...Object.fromEntries(context.personas.map((p) => [p.id, p.name])) }} onChange=${setPersonaId} />`}
    <input ref=${input} type="file" multiple hidden accept=".vtt,.srt,.sbv,.txt,.md,.markdown,.json,.docx,text/*" aria-label="Transcripts" tabindex="-1"
      onChange=${(e) => { onFiles(e.currentTarget.files); e.currentTarget.value = ''; }} />
  </section>`;
}

export function Interviews({ context }) {
  const [rows, setRows] = useState(null);
  const [overview, setOverview] = useState(overviews);
  const [error, setError] = useState(null);
  const [personaId, setPersonaId] = useState('');
  const [choosing, setChoosing] = useState(null); // the imports to parse
  const [nudge, setNudge] = useState(0);
  const [asked, setAsked] = useState(new Set()); // imports being cancelled
  const before = useRef(new Map());

  async function ask(signal) {
    try {
      const all = await list('imports', { project_id: `eq.${context.id}`, select: importColumns, order: 'created_at.desc,id' }, { signal });
      setRows(all);
      setError(null);
      for (const row of all) {
        const was = before.current.get(row.id);
        if (was && running(was) && !running(row.status)) say(`${row.title}: ${importStatus[row.status]}.`);
        before.current.set(row.id, row.status);
      }
      if (all.some((row) => !overviews.has(row.id))) {
        setOverview(new Map(await overviewsOf(all.map((row) => row.id), signal)));
      }
      return all;
    } catch (e) {
      setError(e);
      throw e;
    }
  }
  const lost = usePoll(ask, (all) => (all.some((row) => running(row.status)) ? WATCH_MS : IDLE_MS), [context.id, nudge]);
  const uploads = useUploads(context, personaId, async () => setNudge((n) => n + 1));

  async function start(imports, hypothesisIds) {
    const failed = [];
    for (const row of imports) {
      try {
        await parse(row.id, hypothesisIds);
      } catch (e) {
        failed.push(e);
      }
    }
    setNudge((n) => n + 1);
    if (failed.length === imports.length) throw failed[0];
    if (failed.length > 0) problem(failed[0]);
    else say(`Finding evidence in ${count(imports.length, 'interview')}.`);
  }
  async function stop(row) {
    setAsked((now) => new Set(now).add(row.id));
    try {
      await cancel(row.id);
      toast(`Cancelling “${row.title}”.`, { ms: 4000 });
    } catch (e) {
      problem(e);
      setAsked((now) => new Set([...now].filter((id) => id !== row.id)));
    }
    setNudge((n) => n + 1);
  }

  const ready = rows?.filter((row) => row.status === 'uploaded') ?? [];
  const persona = new Map(context.personas.map((p) => [p.id, p.name]));
  return html`<main id="main" class="page">
    <header class="head"><${Title}>Interviews<//>
      ${rows?.length > 0 && html`<p class="faint">${count(rows.length, 'interview')}</p>`}
      ${context.canEdit && ready.length > 0 && html`<button class="primary" onClick=${() => setChoosing(ready)}>${ready.length === 1 ? 'Find evidence' : `Find evidence in ${number(ready.length)}`}</button>`}</header>
    ${context.canEdit && html`<${DropZone} context=${context} personaId=${personaId} setPersonaId=${setPersonaId} onFiles=${uploads.add} />`}
    ${lost && rows && html`<p class="lost" role="status">The connection is lost. Running analyses continue. This list is updated as soon as the server answers again.</p>`}
    ${uploads.items.length > 0 && html`<ul class="uploads" aria-label="Uploads">${uploads.items.map((item) => html`<li key=${item.id} class=${item.state}>
      <span class="name" dir="auto">${item.file.name}</span><span class="faint">${size(item.file.size)}</span>
      ${item.state === 'failed'
        ? html`<p class="wrong" role="alert" dir="auto">${sentence(item.error)}</p>${item.error.temporary && html`<button onClick=${() => uploads.again(item)}>Try again</button>`}`
        : html`<${Progress} done=${item.part * 100} total=${item.state === 'waiting' ? 0 : 100} label=${`Uploading ${item.file.name}`} /><span class="faint">${item.part >= 1 ? 'Processing…' : `${Math.round(item.part * 100)}%`}</span>`}
      <button class="quiet icon" aria-label=${`Remove ${item.file.name}`} onClick=${() => uploads.drop(item)}>×</button>
    </li>`)}</ul>`}
    ${!rows && (error ? html`<${Problem} error=${error} retry=${() => setNudge((n) => n + 1)} />` : html`<${Loading} />`)}
    ${rows?.length === 0 && uploads.items.length === 0 && html`<${Empty} title="No interviews yet">
      <p>Drop the transcript of an interview above. Its format, speakers and times are detected automatically.</p>
      <p>Then choose hypotheses, and see which quotes support or contradict them, each at its place in the transcript.</p><//>`}
    ${rows?.length > 0 && html`<ul class="imports">${rows.map((row) => html`<li key=${row.id} class=${row.status}>
      <div class="what"><a class="statement" href=${`/imports/${row.id}`} dir="auto">${row.title}</a>
        <${About} row=${row} overview=${overview.get(row.id)} />
        ${row.persona_id && html`<p class="meta"><span dir="auto">${persona.get(row.persona_id)}</span></p>`}
        <${Outcome} row=${row} /></div>
      <div class="state">
        ${running(row.status)
          ? html`<${Progress} done=${row.progress_done} total=${row.progress_total} label=${`Analysing ${row.title}`} />
            <span class="faint">${asked.has(row.id) ? 'cancelling' : row.progress_total > 0 ? `${number(row.progress_done)} of ${count(row.progress_total, 'part')}` : importStatus[row.status]}</span>`
          : html`<${StatusTag} row=${row} />`}
      </div>
      <div class="verdict">
        ${context.canEdit && running(row.status) && html`<button disabled=${asked.has(row.id)} aria-label=${`Cancel ${row.title}`} onClick=${() => stop(row)}>Cancel</button>`}
        ${context.canEdit && startable(row.status) && html`<button aria-label=${`${row.status === 'uploaded' ? 'Find evidence in' : 'Try again'}: ${row.title}`} onClick=${() => setChoosing([row])}>${row.status === 'uploaded' ? 'Find evidence' : 'Try again'}</button>`}
        ${row.status === 'parsed' && row.evidence_count > 0 && html`<a class="button" href=${`/projects/${context.id}/evidence?import=${row.id}`} aria-label=${`Evidence in ${row.title}`}>Evidence</a>`}
      </div>
    </li>`)}</ul>`}
    ${choosing && html`<${ChooseHypotheses} context=${context} title=${choosing.length === 1 ? choosing[0].title : count(choosing.length, 'interview')} submit="Find evidence"
      onStart=${(ids) => { const chosen = choosing; setAsked((now) => new Set([...now].filter((id) => !chosen.some((row) => row.id === id)))); return start(chosen, ids); }} onClose=${() => setChoosing(null)} />`}
  </main>`;
}
