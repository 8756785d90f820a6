// The evidence board: the evidence for and against one hypothesis, side by side.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { useLoad, usePoll } from '../../page/load.js';
import { balances, noBalance, people as loadPeople } from '../../client/people.js';
import { go, note, setQuery } from '../../page/router.js';
import { count, number } from '../../page/words.js';
import { stanceOrder } from '../shared/evidencewords.js';
import { running, startable } from '../shared/interviewwords.js';
import { Empty, Loading, Problem, Title } from '../../page/ui.js';
import { useKeys } from '../shared/keys.js';
import { Icon } from '../../page/icons.js';
import { later } from '../../page/later.js';
import { Subject } from '../hypotheses/answer.js';
import { Gaps, Keys, Switch } from './gaps.js';
import { columnsOf, stepsOf, useBoard } from './data.js';
import { CheckNow } from '../interview/analyse.js';
import { Asked } from './interviewerquotes.js';
import { place } from '../shared/card.js';
import { AddEvidence, EditEvidence } from '../shared/evidencedialogs.js';
import { Filters, filtersOf, matches } from './filters.js';
import { startAll } from '../interview/facts.js';
import { useChosen } from '../findings/chosen.js';
import { useJudging } from '../judging/judging.js';
import { useLive } from '../judging/live.js';
import { usePosition } from './position.js';
import { Quotes } from './columns.js';
import { Conflicts, Saving } from '../judging/saving.js';

const Export = later(async () => (await import('../export/dialog.js')).Export);

const WATCH_MS = 2000; // while an interview is being analysed, without a stream of events
const IDLE_MS = 20_000; // shows interviews that other members upload
const endedText = 'The analysis ended without an answer. Open the interview to see why, and to try again.';

const none = [];

// named gives quotes the names of their speakers.
const named = (rows, nameOf) =>
  rows.map((row) => (nameOf && nameOf(row) !== row.speaker ? { ...row, speaker: nameOf(row) } : row));

export function Evidence({ context, query }) {
  const { hypotheses, canEdit } = context;
  const hypothesis = hypotheses.find((h) => h.id === query.get('h')) ?? hypotheses[0];
  const totals = useLoad((signal) => balances(context.id, signal), [context.id]);
  const people = useLoad((signal) => loadPeople(context.id, hypotheses, signal), [context.id, hypotheses]);
  const [imports, setImports] = useState({});
  const begun = useRef(false); // all parts of the board were there
  const [nudge, setNudge] = useState(0);
  const lost = usePoll(
    async (signal) => {
      const all = await list(
        'imports',
        {
          project_id: `eq.${context.id}`,
          select: 'id,title,persona_id,status,progress_done,progress_total,started_at,created_at,finished_at',
          order: 'created_at,id',
        },
        { signal },
      );
      setImports({ data: all });
      return all;
    },
    (all) => (all.some((i) => running(i.status)) ? WATCH_MS : IDLE_MS),
    [context.id, nudge],
    {
      path: '/api/events',
      about: (event) => event.type.startsWith('import.') && event.data.data.projectId === context.id,
    },
  );
  const board = useBoard(hypothesis?.id, context.id);
  // Until the board of another hypothesis is loaded, there is still the data of the one before.
  const data = board.data?.hypothesisId === hypothesis?.id ? board.data : undefined;
  const [selected, setSelected] = useState(query.get('q'));
  const [tab, setTab] = useState(query.get('tab') ?? 'supports');
  // 'keys', 'add', 'export', 'check', or the evidence that is being edited.
  const [dialog, setDialog] = useState(null);
  const touched = useRef(new Set());
  const quotes = useRef();

  // The parts appear together, so that nothing jumps.
  begun.current ||=
    (data || board.error) && (imports.data || lost) && !totals.loading && (people.data || people.error);
  const importOf = useMemo(() => new Map((imports.data ?? []).map((i) => [i.id, i])), [imports.data]);
  const nameOf = people.data?.nameOf;
  const rows = useMemo(() => named(data?.rows ?? none, nameOf), [data?.rows, nameOf]);
  const want = filtersOf(query);
  const filters = JSON.stringify(want);
  const columns = useMemo(() => {
    const personaOf = (row) => importOf.get(row.import_id)?.persona_id;
    return columnsOf(
      rows.filter((row) => matches(row, want, touched.current, personaOf)),
      importOf,
    );
  }, [rows, importOf, filters]);
  const inOrder = useMemo(() => stanceOrder.flatMap((stance) => columns[stance]), [columns]);
  const current = columns.byId.get(selected) ?? null;
  const speakers = useMemo(() => [...new Set(rows.map((row) => row.speaker).filter(Boolean))].sort(), [rows]);
  const steps = useMemo(() => stepsOf(rows, importOf), [rows, importOf]);
  const hidden = useMemo(
    () => rows.filter((row) => row.review === 'rejected' && !touched.current.has(row.id)).length,
    [rows],
  );

  // When the analysis of an interview begins or ends, its answers and its evidence are loaded; its quotes
  // appear as it is read.
  const read = imports.data?.map((i) => `${i.status} ${i.finished_at}`).join();
  const progress = imports.data?.map((i) => i.progress_done).join();
  const readBefore = useRef();
  useEffect(() => {
    if (readBefore.current !== undefined) {
      if (read !== readBefore.current) reloadSums();
      board.reload();
    }
    readBefore.current = read;
  }, [read, progress]);
  const position = usePosition({
    query,
    hypothesis,
    ready: begun.current && data && imports.data,
    show: (id, y) => quotes.current?.show(columns.byId.get(id) ?? columns.byId.get(selected), y),
    first: () => quotes.current?.first(),
    onChange() {
      setSelected(query.get('q'));
      setTab(query.get('tab') ?? 'supports');
    },
  });
  useEffect(() => {
    touched.current = new Set();
  }, [hypothesis?.id]);

  async function check() {
    try {
      await startAll(unchecked, [hypothesis.id]);
    } finally {
      board.reload();
      setNudge((n) => n + 1);
    }
    setDialog(null);
  }
  function change(id, values) {
    touched.current.add(id);
    board.set((d) => d && { ...d, rows: d.rows.map((row) => (row.id === id ? { ...row, ...values } : row)) });
  }
  const reloadSums = () => {
    totals.reload();
    people.reload();
  };
  useLive({
    projectId: context.id,
    rows: data?.rows,
    filter: { hypothesis_id: `eq.${hypothesis?.id}` },
    onRows(changed, replace) {
      changed.forEach((row) => touched.current.add(row.id));
      board.set((d) => d && { ...d, rows: replace(d.rows) });
      reloadSums();
    },
  });
  const { review, undo, judged } = useJudging({
    rows,
    hypothesisId: hypothesis?.id,
    apply: change,
    saved: reloadSums,
  });
  const chosen = useChosen(hypothesis?.id, (row) => review(row, { review: 'accepted' }));
  function select(row) {
    if (!row || row.id === selected) return;
    setSelected(row.id);
    note({ q: row.id });
  }
  function jump(id) {
    const row = columns.byId.get(id);
    if (!row) return;
    select(row);
    quotes.current?.focus(row);
  }
  const step = (by) => {
    const at = inOrder.indexOf(selected);
    jump(current ? inOrder[Math.max(0, Math.min(inOrder.length - 1, at + by))] : inOrder[0]);
  };
  function verdict(value) {
    if (!current || !canEdit) return;
    const next = inOrder[inOrder.indexOf(current.id) + 1];
    review(current, { review: value });
    if (next) jump(next);
  }
  function sideways(by) {
    if (!current) return jump(inOrder[0]);
    const at = columns[current.stance].indexOf(current.id);
    for (let i = stanceOrder.indexOf(current.stance) + by; i >= 0 && i < stanceOrder.length; i += by) {
      const column = columns[stanceOrder[i]];
      if (column.length > 0) return jump(column[Math.min(at, column.length - 1)]);
    }
    return undefined;
  }
  const hop = (by) => {
    const next = hypotheses[hypotheses.indexOf(hypothesis) + by];
    if (!next) return;
    position.leave();
    go(position.hrefOf(next), { replace: true });
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowRight: () => sideways(1),
    ArrowLeft: () => sideways(-1),
    a: () => verdict('accepted'),
    r: () => verdict('rejected'),
    u: undo,
    f: () => current && canEdit && chosen.toggle(current),
    e: () => current && canEdit && setDialog(current),
    Enter: () => {
      if (!current || !place(current)) return;
      position.note();
      go(place(current));
    },
    '[': () => hop(-1),
    ']': () => hop(1),
    '?': () => setDialog('keys'),
  });

  if (hypotheses.length === 0) {
    return html`
      <main id="main" class="page">
        <header class="head"><${Title}>Evidence<//></header>
        <${Empty} title="No hypotheses yet">
          <p>
            Evidence supports or contradicts something that you believe.${' '}
            <a href=${`/projects/${context.id}`}>Write your first hypothesis</a>
            , then upload an interview.
          </p>
        <//>
      </main>
    `;
  }
  const b = totals.data?.get(hypothesis.id) ?? noBalance;
  const toReview = rows.filter((row) => row.review === 'suggested').length;
  // The answers to the hypothesis as it is worded now.
  const answers = (data?.answers ?? []).filter((a) => a.statement === hypothesis.statement);
  const statusOf = (a) => importOf.get(a.import_id)?.status;
  const nothing = answers.filter((a) => a.result === 'nothing_found');
  const unanswered = answers.filter((a) => a.result === 'pending' && importOf.has(a.import_id));
  const pending = unanswered.filter((a) => running(statusOf(a)));
  const ended = unanswered.filter((a) => startable(statusOf(a)));
  const partly = answers.filter((a) => statusOf(a) === 'parsed' && a.coverage > 0 && a.coverage < 1);
  const answered = new Set(
    answers
      .filter((a) => a.coverage > 0 || a.result !== 'pending' || ended.includes(a))
      .map((a) => a.import_id),
  );
  const unchecked = data ? (imports.data ?? []).filter((i) => !running(i.status) && !answered.has(i.id)) : [];
  return html`
    <main id="main" class="board" onClickCapture=${(e) => e.target.closest('.switch a') && position.leave()}>
      <${Switch}
        hypotheses=${hypotheses}
        current=${hypothesis}
        people=${people.data?.of}
        toReview=${(h) => totals.data?.get(h.id)?.suggested ?? 0}
        hrefOf=${position.hrefOf}
      />
      <div class="subject">
        <${Subject}
          context=${context}
          hypothesis=${hypothesis}
          people=${people.data?.of.get(hypothesis.id)}
          quotes=${b}
          steps=${steps}
          want=${want}
          ready=${begun.current}
        />
        ${
          !begun.current &&
          html`
            <${Loading} />
          `
        }
        <${Gaps}
          importOf=${importOf}
          nothing=${nothing}
          partly=${partly}
          pending=${pending}
          ended=${ended}
          unchecked=${unchecked}
          onCheck=${canEdit && (() => setDialog('check'))}
        />
        <div class="filters" role="group" aria-label="Filter">
          <${Filters}
            want=${want}
            imports=${imports.data ?? none}
            speakers=${speakers}
            personas=${context.personas}
            onReview=${() => (touched.current = new Set())}
          />
          <div class="tasks">
            <${Saving} judged=${judged} />
            ${
              canEdit &&
              html`
                <button class="quiet" onClick=${() => setDialog('add')}>
                  <${Icon} name="plus" />
                  Add by hand
                </button>
              `
            }
            <a class="button quiet" href=${`/projects/${context.id}/findings?h=${hypothesis.id}`}>
              Findings
              <span class="faint">${chosen.ids.size || ''}</span>
            </a>
            <button class="quiet" onClick=${() => setDialog('export')}>
              <${Icon} name="download" />
              Export
            </button>
            <button
              class="quiet icon keys-button"
              aria-label="Keyboard shortcuts"
              title="Keyboard shortcuts (?)"
              onClick=${() => setDialog('keys')}
            >
              <${Icon} name="keyboard" />
            </button>
            ${
              canEdit &&
              toReview > 0 &&
              html`
                <a class="button primary" href=${`/projects/${context.id}/review?h=${hypothesis.id}`}>
                  Review ${number(toReview)}
                </a>
              `
            }
          </div>
        </div>
        <${Conflicts} rows=${rows} />
        ${
          board.error &&
          html`
            <${Problem} error=${board.error} retry=${board.reload} />
          `
        }
        ${
          !data &&
          !board.error &&
          html`
            <${Loading} />
          `
        }
        ${
          data &&
          rows.length === 0 &&
          html`
            <${Empty} title="No evidence yet">
              <p>
                ${
                  nothing.length > 0
                    ? html`
                        ${count(nothing.length, 'interview')} ${nothing.length === 1 ? 'was' : 'were'}${' '}
                        searched for this hypothesis, and nothing was found. That is a result too. Ask about
                        it in the next interview.
                      `
                    : pending.length > 0
                      ? 'Interviews are still being searched for this hypothesis.'
                      : ended.length > 0
                        ? endedText
                        : html`
                            No interview was searched for this hypothesis yet.${' '}
                            <a href=${`/projects/${context.id}/interviews`}>Upload one</a>
                            , or find evidence in an interview that was not analysed yet.
                          `
                }
              </p>
            <//>
          `
        }
        ${
          data &&
          rows.length > 0 &&
          html`
            <${Quotes}
              columns=${columns}
              tab=${tab}
              current=${current}
              control=${quotes}
              filtered=${want.any}
              canEdit=${canEdit}
              chosen=${chosen.ids}
              titleOf=${(row) => importOf.get(row.import_id)?.title}
              on=${{
                select,
                review: (row, value) => review(row, { review: value }),
                edit: setDialog,
                choose: chosen.toggle,
                tab(next) {
                  setTab(next);
                  note({ tab: next });
                },
              }}
            />
          `
        }
        <${Asked} rows=${data?.asked ?? none} nameOf=${nameOf} />
        ${
          hidden > 0 &&
          !want.review &&
          html`
            <p class="faint more">
              ${count(hidden, 'rejected quote')} not shown.${' '}
              <button class="link" onClick=${() => setQuery({ review: 'all' })}>Show all</button>
            </p>
          `
        }
      </div>
      ${
        dialog === 'check' &&
        html`
          <${CheckNow}
            rows=${unchecked}
            hypothesis=${hypothesis}
            send=${check}
            onClose=${() => setDialog(null)}
          />
        `
      }
      ${
        dialog === 'keys' &&
        html`
          <${Keys} onClose=${() => setDialog(null)} />
        `
      }
      ${
        dialog === 'export' &&
        html`
          <${Export}
            context=${context}
            view=${{ hypothesis, ids: inOrder, chosen: [...chosen.ids], nameOf }}
            onClose=${() => setDialog(null)}
          />
        `
      }
      ${
        dialog === 'add' &&
        html`
          <${AddEvidence}
            context=${context}
            hypothesisId=${hypothesis.id}
            imports=${imports.data ?? []}
            onClose=${() => setDialog(null)}
            onAdded=${() => {
              board.reload();
              reloadSums();
            }}
          />
        `
      }
      ${
        dialog?.id &&
        html`
          <${EditEvidence}
            e=${dialog}
            link=${dialog}
            hypothesis=${hypothesis}
            onClose=${() => setDialog(null)}
            onSaved=${(values, link) => {
              change(dialog.id, { ...values, ...link });
              reloadSums();
            }}
            onGone=${() => board.set((d) => ({ ...d, rows: d.rows.filter((row) => row.id !== dialog.id) }))}
            onBack=${() =>
              board.set((d) =>
                d.hypothesisId === dialog.hypothesis_id && !d.rows.some((row) => row.id === dialog.id)
                  ? { ...d, rows: [...d.rows, dialog] }
                  : d,
              )}
          />
        `
      }
    </main>
  `;
}
