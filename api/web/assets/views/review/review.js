// Review mode: one quote at a time, between the turns around it, judged with one key.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { counts, everyone } from '../../client/people.js';
import { useLoad } from '../../page/load.js';
import { say } from '../../page/messages.js';
import { go, note, setQuery } from '../../page/router.js';
import { Loading, Title, Waiting } from '../../page/ui.js';
import { useChosen } from '../findings/chosen.js';
import { useJudging } from '../judging/judging.js';
import { useLive } from '../judging/live.js';
import { Presence } from '../judging/presence.js';
import { Conflicts, Saving } from '../judging/saving.js';
import { asJudged, moment } from '../judging/unsaved.js';
import { confirmSpeaker } from '../shared/confirming.js';
import { place } from '../shared/card.js';
import { pressNotes, pressTheme } from '../shared/themechips.js';
import { evidenceColumns, linkColumns } from '../shared/evidencecolumns.js';
import { useKeys } from '../../page/keys.js';
import { End, noneText } from './end.js';
import { limited, LimitsBar, limitsOf } from './limits.js';
import { List } from './list.js';
import { choices, Stage } from './stage.js';
import { useTurns } from './turns.js';

const AHEAD = 5; // quotes whose turns are loaded in advance

// useQuotes loads the quotes of a hypothesis or, without one, of a project.
/** @typedef {import('./limits.js').PersonOf} PersonOf */
/**
 * @param {Context} context
 * @param {string | null} hypothesisId
 * @returns {Loaded<{ rows: Quote[], personOf: PersonOf }>}
 */
function useQuotes(context, hypothesisId) {
  return useLoad(
    async (signal) => {
      const since = moment();
      const [links, { asks, personOf }] = await Promise.all([
        list(
          'evidence_hypotheses',
          {
            ...(hypothesisId ? { hypothesis_id: `eq.${hypothesisId}` } : { project_id: `eq.${context.id}` }),
            select: `hypothesis_id,${linkColumns},evidence!inner(${evidenceColumns})`,
            'evidence.review': 'neq.rejected',
            order: 'hypothesis_id,evidence_id',
          },
          { signal },
        ),
        everyone(context.id, signal),
      ]);
      const order = new Map(context.hypotheses.map((h, i) => [h.id, i]));
      /** @param {Quote} row */
      const placeOf = (row) => order.get(row.hypothesis_id) ?? Infinity;
      const rows = links
        .filter(({ evidence }) => !asks(evidence)) // what interviewers say is no evidence
        .map(({ evidence, ...link }) => asJudged({ ...evidence, ...link }, link.hypothesis_id, since))
        .sort(
          (a, b) =>
            placeOf(a) - placeOf(b) ||
            (a.import_id ?? '').localeCompare(b.import_id ?? '') ||
            (a.byte_start ?? 0) - (b.byte_start ?? 0),
        );
      return { rows, personOf };
    },
    [context.id, hypothesisId],
  );
}

/** @param {{ context: Context, query: URLSearchParams }} props */
export function Review({ context, query }) {
  const hypothesisId = query.get('h');
  const quotes = useQuotes(context, hypothesisId);
  const interviews = useInterviews(context.id);
  if (quotes.error || !quotes.data || !interviews.data)
    return html`
      <main id="main" class="alone">
        <${Waiting} for=${quotes.error || !quotes.data ? quotes : interviews} />
      </main>
    `;
  return html`
    <${Pass}
      key=${hypothesisId}
      context=${context}
      change=${(/** @type {(rows: Quote[]) => Quote[]} */ next) =>
        quotes.set((data) => ({ ...data, rows: next(data.rows) }))}
      rows=${quotes.data.rows}
      personOf=${quotes.data.personOf}
      sources=${interviews.data}
      query=${query}
      only=${hypothesisId}
    />
  `;
}

// useInterviews loads the interviews of a project, by their ids.
/** @param {string} projectId @returns {Loaded<import('./limits.js').Sources>} */
function useInterviews(projectId) {
  return useLoad(
    async (signal) => {
      const rows = await list(
        'imports',
        { project_id: `eq.${projectId}`, select: 'id,title,created_at', order: 'created_at,id' },
        { signal },
      );
      return new Map(rows.map((row) => [row.id, row]));
    },
    [projectId],
  );
}

// A quote to review: its hypothesis, and its stance when the review began.
/** @typedef {{ id: string, hypothesisId: string, suggested: Stance }} Item */

/** @param {Quote[]} rows @returns {Item[]} */
const itemsOf = (rows) =>
  [
    // A quote with several hypotheses is reviewed once.
    ...new Map(
      rows
        .filter((row) => row.review === 'suggested')
        .reverse()
        .map((row) => [row.id, { id: row.id, hypothesisId: row.hypothesis_id, suggested: row.stance }]),
    ).values(),
  ].reverse();

// usePass walks through the quotes that were unreviewed when it began, from the wanted one. It begins again
// when there are other limits, and goes on from another one when that is wanted.
/**
 * @param {Quote[]} rows
 * @param {import('./limits.js').Limits} limits
 * @param {PersonOf} personOf
 * @param {string | null} wanted
 */
function usePass(rows, limits, personOf, wanted) {
  const key = JSON.stringify(limits);
  const begun = useRef({ key: '', all: /** @type {Item[]} */ ([]) });
  if (begun.current.key !== key) begun.current = { key, all: itemsOf(limited(rows, limits, personOf)) };
  const { all } = begun.current;
  const first = Math.max(
    0,
    all.findIndex(({ id }) => id === wanted),
  );
  const [place, setPlace] = useState({ key, at: first });
  const at = place.key === key ? place.at : 0;
  /** @param {number} index */
  const setAt = (index) => setPlace({ key, at: index });
  useEffect(() => {
    const index = all.findIndex(({ id }) => id === wanted);
    if (index >= 0) setAt(index); // of the list
  }, [wanted]);
  const known = useMemo(() => new Map(rows.map((row) => [`${row.id} ${row.hypothesis_id}`, row])), [rows]);
  /** @param {Item | undefined} one */
  const rowOf = (one) => one && known.get(`${one.id} ${one.hypothesisId}`);
  /** @param {Item} one */
  const isOpen = (one) => rowOf(one)?.review === 'suggested';
  const item = all.at(at);
  const found = rowOf(item);
  /** @param {number} to */
  function move(to) {
    const index = Math.max(0, Math.min(all.length, to));
    setAt(index);
    note({ q: all.at(index)?.id ?? null });
    window.scrollTo(0, 0);
  }
  return {
    all,
    at,
    item,
    row: found && item && { ...found, suggested: item.suggested },
    next: useMemo(() => all.slice(at + 1, at + 1 + AHEAD).map(rowOf), [at, key]),
    open: all.filter(isOpen).length,
    rows: all.flatMap((one) => rowOf(one) ?? []),
    move,
    moveOn() {
      const following = all.findIndex((one, i) => i > at && isOpen(one));
      move(following < 0 ? all.length : following);
    },
    moveToOpen: () => move(all.findIndex(isOpen)),
  };
}

// valuesFor returns what a judgement for a hypothesis says of a quote as a hypothesis has it.
/** @param {Quote} row @param {JudgedValues} values @param {string | null} of */
function valuesFor(row, { stance, newer, ...values }, of) {
  const here = row.hypothesis_id === of;
  return {
    ...values,
    newer: newer?.stance && !here ? row.newer : newer,
    ...(stance && here && { stance }),
  };
}

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {(next: (rows: Quote[]) => Quote[]) => void} props.change changes the rows
 * @param {Quote[]} props.rows
 * @param {PersonOf} props.personOf
 * @param {import('./limits.js').Sources} props.sources
 * @param {URLSearchParams} props.query
 * @param {string | null} props.only
 */
function Pass({ context, change, rows, personOf, sources, query, only }) {
  const limits = limitsOf(query);
  const pass = usePass(rows, limits, personOf, query.get('q'));
  const { all, at, item, row, open, move } = pass;
  const people = useLoad((signal) => counts(context.id, signal), [context.id]);
  const turns = useTurns(row, pass.next);
  const { review, reviewAll, undo, judged } = useJudging({
    rows,
    apply: (id, values, of) =>
      change((data) => data.map((one) => (one.id === id ? { ...one, ...valuesFor(one, values, of) } : one))),
    saved: people.reload,
  });
  const asList = query.has('list');
  useLive({
    projectId: context.id,
    rows,
    filter: only ? { hypothesis_id: `eq.${only}` } : { project_id: `eq.${context.id}` },
    onRows: (/** @type {Quote[]} */ _, /** @type {(all: Quote[]) => Quote[]} */ replace) => change(replace),
  });
  const back = `/projects/${context.id}/evidence${only ? `?h=${only}` : ''}`;

  /** @param {{ review: ReviewState, stance?: Stance }} to */
  function answer(to) {
    if (!row || !context.canEdit) return;
    if (review(row, { stance: row.stance, ...to })) pass.moveOn(); // else the page asks first
  }
  const chosen = useChosen(item?.hypothesisId, (/** @type {Quote} */ one) =>
    review(one, { review: 'accepted', stance: one.stance }),
  );
  // undoIn takes back what the user sees in the history of a quote.
  const undoIn = (/** @type {Quote} */ one) => (/** @type {Opinion} */ to) =>
    review({ ...one, newer: undefined }, to);
  const choose = () => row && context.canEdit && chosen.toggle(row);
  function takeBack() {
    const id = undo();
    if (!id) return;
    const index = all.findIndex((one) => one.id === id);
    if (index >= 0 && !asList) move(index);
    say('Undone.');
  }
  /** @param {string} id @param {Partial<Quote>} values */
  const show = (id, values) => change((data) => data.map((q) => (q.id === id ? { ...q, ...values } : q)));
  const confirmed = (/** @type {Quote} */ { id, ...one }) =>
    confirmSpeaker({ id, ...one }, () => show(id, { speaker_confirmed: true }));
  const theme = () => context.canEdit && pressTheme(document.querySelector('main.review .stage'));
  const address = row && place(row);
  const keys = {
    ...Object.fromEntries(choices.map(({ key, to }) => [key, () => answer(to)])),
    f: choose,
    t: theme,
    T: theme,
    n: () => pressNotes(document.querySelector('main.review .stage')),
    c: () => row && context.canEdit && !row.speaker_confirmed && confirmed(row),
    u: takeBack,
    j: () => move(at + 1),
    k: () => move(at - 1),
    Enter: () => address && go(address),
    Escape: () => go(back),
  };
  useKeys({ ...(!asList && keys), v: () => setQuery({ list: asList ? null : '1', q: null }) });
  const rest = new Set(rows.flatMap((one) => (one.review === 'suggested' ? [one.id] : []))).size - open;

  return html`
    <main id="main" class="review">
      <${Bar} context=${context} pass=${pass} asList=${asList} judged=${judged} back=${back} />
      <${LimitsBar}
        context=${context}
        sources=${sources}
        limits=${limits}
        only=${only}
        open=${open}
        rest=${rest}
      />
      <${Conflicts} rows=${rows} />
      ${
        asList && all.length > 0
          ? html`
              <${List}
                context=${context}
                rows=${pass.rows}
                sources=${sources}
                onReview=${reviewAll}
                onUndo=${takeBack}
                onBack=${() => go(back)}
              />
            `
          : !row
            ? html`
                <${End}
                  ...${{ pass, rest, judged, back, takeBack }}
                  none=${noneText(rows.length > 0, !!only)}
                />
              `
            : html`
                <${Current}
                  ...${{ context, row, rows, turns, judged, answer, choose, takeBack, show }}
                  people=${people.data?.get(row.hypothesis_id)}
                  chosen=${chosen.ids.has(row.id)}
                  onUndo=${context.canEdit ? undoIn(row) : undefined}
                  confirm=${() => confirmed(row)}
                />
              `
      }
    </main>
  `;
}

// Current is the quote to judge, once the turns around it are there.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {import('./stage.js').Todo} props.row
 * @param {Quote[]} props.rows
 * @param {import('./turns.js').Turn[] | null} props.turns
 * @param {PeopleCounts | undefined} props.people
 * @param {boolean} props.chosen
 * @param {import('../shared/history.js').UndoTo} [props.onUndo]
 * @param {(id: string, values: Partial<Quote>) => void} props.show
 * @param {number} props.judged
 * @param {(to: { review: ReviewState, stance?: Stance }) => void} props.answer
 * @param {() => void} props.choose
 * @param {() => void} props.takeBack
 * @param {() => void} props.confirm
 */
function Current({ context, row, rows, turns, people, chosen, onUndo, show, ...verdicts }) {
  if (!turns)
    return html`
      <div class="stage"><${Loading} /></div>
    `;
  return html`
    <${Stage}
      row=${row}
      turns=${turns}
      hypothesis=${context.hypotheses.find((h) => h.id === row.hypothesis_id)}
      rows=${rows}
      people=${people}
      canEdit=${context.canEdit}
      onUndo=${onUndo}
      onShow=${(/** @type {Partial<Quote>} */ values) => show(row.id, values)}
    >
      ${
        context.canEdit &&
        html`
          <${Verdicts} row=${row} chosen=${chosen} ...${verdicts} />
        `
      }
    <//>
  `;
}

// Bar says how much is reviewed, who else is there, and whether the judgements are saved.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {ReturnType<typeof usePass>} props.pass
 * @param {boolean} props.asList
 * @param {number} props.judged
 * @param {string} props.back
 */
function Bar({ context, pass: { all, at, open }, asList, judged, back }) {
  const where = asList
    ? `${all.length - open} of ${all.length} reviewed`
    : `${Math.min(at + 1, all.length)} of ${all.length}`;
  return html`
    <header class="bar">
      <${Title}>Review<//>
      <progress value=${all.length - open} max=${Math.max(1, all.length)} aria-label="Reviewed"></progress>
      <span class="faint">${where}</span>
      <span class="grow"></span>
      <${Presence} projectId=${context.id} place="review" />
      <${Saving} judged=${judged} />
      <button
        class="quiet"
        aria-keyshortcuts="v"
        onClick=${() => setQuery({ list: asList ? null : '1', q: null })}
      >
        ${asList ? 'One at a time' : 'List'}
      </button>
      <a class="button quiet" href=${back}>
        Close
        <kbd>Esc</kbd>
      </a>
    </header>
  `;
}

// Verdicts are the buttons below a quote.
/**
 * @param {object} props
 * @param {Quote} props.row
 * @param {boolean} props.chosen
 * @param {number} props.judged
 * @param {(to: { review: ReviewState, stance?: Stance }) => void} props.answer
 * @param {() => void} props.choose
 * @param {() => void} props.takeBack
 * @param {() => void} props.confirm
 */
const Verdicts = ({ row, chosen, judged, answer, choose, takeBack, confirm }) => html`
  <div class="verdicts" role="group" aria-label="Judgement">
    ${choices.map(
      ({ key, text, kind, to }) => html`
        <button
          key=${key}
          class=${kind}
          aria-keyshortcuts=${key}
          aria-pressed=${row.review === to.review && (!to.stance || row.stance === to.stance)}
          onClick=${() => answer(to)}
        >
          <kbd aria-hidden="true">${key}</kbd>
          ${text}
        </button>
      `,
    )}
    ${
      !row.speaker_confirmed &&
      html`
        <button aria-keyshortcuts="c" onClick=${confirm}>
          <kbd aria-hidden="true">c</kbd>
          Confirm the speaker
        </button>
      `
    }
    <button aria-keyshortcuts="f" aria-pressed=${chosen} onClick=${choose}>
      <kbd aria-hidden="true">f</kbd>
      In findings
    </button>
    <button aria-keyshortcuts="u" disabled=${judged === 0} onClick=${takeBack}>
      <kbd aria-hidden="true">u</kbd>
      Undo
    </button>
  </div>
`;
