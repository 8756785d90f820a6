// The evidence board: the evidence for and against one hypothesis, side by side.
import { html, useMemo, useRef, useState } from '../../page/html.js';
import { answer, noBalance } from '../../client/people.js';
import { setQuery } from '../../page/router.js';
import { count } from '../../page/words.js';
import { Empty, Loading, Title, Waiting } from '../../page/ui.js';
import { Subject } from '../shared/answer.js';
import { WriteFirst } from '../shared/nohypotheses.js';
import { Conflicts } from '../judging/saving.js';
import { Challenged, useChallenges } from '../decisions/challenges.js';
import { Course } from '../decisions/course.js';
import { Decided } from '../decisions/decided.js';
import { readOf } from '../decisions/rest.js';
import { confirmSpeaker } from '../shared/confirming.js';
import { Picked } from '../judging/picking.js';
import { useBulk } from './bulk.js';
import { useChanges } from './changes.js';
import { Quotes } from './columns.js';
import { balanceOf, stepsOf, useBoard } from './data.js';
import { Dialogs } from './dialogs.js';
import { isAmong, narrows } from './filters.js';
import { Gaps, gapsOf, noGaps, NothingYet } from './gaps.js';
import { Asked } from './interviewerquotes.js';
import { usePosition } from './position.js';
import { useSelection } from './selection.js';
import { useShortcuts } from './shortcuts.js';
import { useShown } from './shown.js';
import { Loose, LooseLink } from './loose.js';
import { Switch } from './switch.js';
import { Tools } from './tools.js';

/** @param {{ context: Context, query: URLSearchParams }} props */
export function Evidence({ context, query }) {
  const { hypotheses } = context;
  if (query.has('loose'))
    return html`
      <${Loose} context=${context} query=${query} />
    `;
  const hypothesis = hypotheses.find((h) => h.id === query.get('h')) ?? hypotheses.at(0);
  if (!hypothesis)
    return html`
      <main id="main" class="page">
        <header class="head"><${Title}>Evidence<//></header>
        <${Empty} title="No hypotheses yet">
          <p>
            Evidence supports or contradicts something that you believe.${' '}
            <${WriteFirst} context=${context} />
          </p>
          <p><${LooseLink} projectId=${context.id} /></p>
        <//>
      </main>
    `;
  return html`
    <${Board} context=${context} hypothesis=${hypothesis} query=${query} />
  `;
}

// Board stays when another hypothesis is chosen.
/** @param {{ context: Context, hypothesis: Hypothesis, query: URLSearchParams }} props */
function Board({ context, hypothesis, query }) {
  const [dialog, setDialog] = useState(/** @type {import('./dialogs.js').Opened | null} */ (null));
  const control = useRef(/** @type {ColumnsControl | null} */ (null));
  const board = useBoard(context, hypothesis);
  const { data, rows, imports } = board;
  const challenges = useChallenges(context);
  const shown = useShown({
    rows,
    importOf: imports.of,
    query,
    hypothesisId: hypothesis.id,
    personOf: board.personOf,
    since: challenges.of.get(hypothesis.id)?.evidence_ids,
  });
  const { want, columns, inOrder } = shown;
  const selection = useSelection({ columns, inOrder, control, query });
  const { current } = selection;
  const people = useMemo(() => narrowed(board.people, want), [board.people, want.persona, want.group]);
  const position = usePosition({
    query,
    hypothesis,
    ready: Boolean(board.begun && data && imports.all),
    show: (id, y) => control.current?.show(columns.byId.get(id) ?? current, y),
    first: () => control.current?.first(),
    onChange: selection.restore,
  });
  const changes = useChanges({ context, hypothesis, board, touch: shown.touch });
  const { judged, chosen } = changes;
  const picked = useBulk(inOrder, columns.byId, changes.reviewAll);
  useShortcuts({ context, hypothesis, selection, position, changes, picked, onOpen: setDialog });

  const gaps = data
    ? gapsOf(
        data.answers.filter((a) => a.statement === hypothesis.statement),
        imports.all ?? [],
        imports.of,
      )
    : noGaps;
  /** @param {InterviewName[]} interviews */
  const check = async (interviews) => {
    await board.start(interviews);
    setDialog(null);
  };
  return html`
    <main
      id="main"
      class="board"
      onClickCapture=${(/** @type {{ target: Element }} */ { target }) =>
        target.closest('.switch a') && position.leave()}
    >
      <${Switch}
        projectId=${context.id}
        hypotheses=${context.hypotheses}
        current=${hypothesis}
        people=${people}
        filtered=${narrows(want)}
        toReview=${(/** @type {Hypothesis} */ h) => board.totals?.get(h.id)?.suggested ?? 0}
        hrefOf=${position.hrefOf}
      />
      <div class="subject">
        <${Answer}
          context=${context}
          hypothesis=${hypothesis}
          people=${people?.get(hypothesis.id)}
          board=${board}
          want=${want}
        />
        <${Living} ...${{ context, hypothesis, board, challenges, want }} />
        <${Gaps}
          gaps=${gaps}
          onCheck=${context.canEdit && (() => setDialog('check'))}
          onRead=${context.canEdit && (() => setDialog('read'))}
        />
        <${Tools}
          context=${context}
          hypothesisId=${hypothesis.id}
          want=${want}
          imports=${imports.all ?? []}
          rows=${rows}
          judged=${judged}
          chosen=${chosen.ids.size}
          onReview=${shown.forget}
          onOpen=${setDialog}
        />
        <${Conflicts} rows=${rows} />
        <${Missing} board=${board} gaps=${gaps} context=${context} />
        <${Found}
          ...${{ board, shown, selection, changes, picked, control }}
          canEdit=${context.canEdit}
          onEdit=${setDialog}
        />
        <${Asked} rows=${data?.asked ?? []} nameOf=${board.nameOf} />
        <${Hidden} n=${want.review ? 0 : shown.hidden} />
      </div>
      ${
        dialog &&
        html`
          <${Dialogs}
            dialog=${dialog}
            context=${context}
            hypothesis=${hypothesis}
            imports=${imports.all ?? []}
            gaps=${gaps}
            view=${{ hypothesis, ids: inOrder, chosen: [...chosen.ids], nameOf: board.nameOf }}
            onCheck=${check}
            onAdded=${() => {
              board.reload();
              board.reloadSums();
            }}
            edits=${changes.edits}
            onClose=${() => setDialog(null)}
          />
        `
      }
    </main>
  `;
}

/** @typedef {ReturnType<typeof useBoard>} LoadedBoard */

// Found is the quotes side by side.
/**
 * @param {object} props
 * @param {LoadedBoard} props.board
 * @param {ReturnType<typeof useShown>} props.shown
 * @param {ReturnType<typeof useSelection>} props.selection
 * @param {ReturnType<typeof useChanges>} props.changes
 * @param {ReturnType<typeof useBulk>} props.picked
 * @param {{ current: ColumnsControl | null }} props.control
 * @param {boolean} props.canEdit
 * @param {(row: Quote) => void} props.onEdit
 */
const Found = ({ board, shown, selection, changes, picked, control, canEdit, onEdit }) =>
  board.data &&
  board.rows.length > 0 &&
  html`
    <${Quotes}
      columns=${shown.columns}
      tab=${selection.tab}
      current=${selection.current}
      control=${control}
      filtered=${shown.want.any}
      canEdit=${canEdit}
      chosen=${changes.chosen.ids}
      picked=${picked.ids}
      titleOf=${(/** @type {Quote} */ row) => board.imports.of.get(row.import_id)?.title}
      on=${{
        select: selection.select,
        review: (/** @type {Quote} */ row, /** @type {ReviewState} */ to) =>
          changes.review(row, { review: to }),
        undo: (/** @type {Quote} */ row, /** @type {Opinion} */ to) =>
          changes.review({ ...row, newer: undefined }, to), // which the user sees in the history
        edit: onEdit,
        confirm: (/** @type {Quote} */ row) =>
          confirmSpeaker(row, () => changes.edits.save(row, { speaker_confirmed: true })),
        show: changes.edits.show,
        choose: changes.chosen.toggle,
        pick: (/** @type {Quote} */ row, /** @type {boolean} */ upTo) => picked.toggle(row.id, upTo),
        tab: selection.selectTab,
      }}
    />
    <${Picked}
      n=${picked.ids.size}
      more=${picked.more}
      onReview=${picked.judge}
      onAll=${picked.pickAll}
      onClear=${picked.clear}
    />
  `;

// narrowed returns the answers of the people whom the filters ask for. A persona that is asked for counts,
// even if the hypothesis is about another one.
/** @param {Map<string, People> | undefined} people @param {BoardFilters} want */
function narrowed(people, want) {
  if (!people || !narrows(want)) return people;
  return new Map(
    [...people].map(([id, { everyone, participants }]) => {
      const about = new Set(participants);
      const among = everyone.filter((p) => isAmong(p, want));
      return [id, answer(among, (p) => !!want.persona || about.has(p))];
    }),
  );
}

// Answer is the hypothesis with its answer, once all parts of the board are there.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Hypothesis} props.hypothesis
 * @param {People | undefined} props.people
 * @param {LoadedBoard} props.board
 * @param {BoardFilters} props.want
 */
function Answer({ context, hypothesis, people, board, want }) {
  const { rows, imports, personOf } = board;
  const narrow = narrows(want);
  const among = useMemo(
    () => (narrow ? rows.filter((row) => isAmong(personOf(row), want)) : rows),
    [rows, personOf, want.persona, want.group],
  );
  const steps = useMemo(() => stepsOf(among, imports.of), [among, imports.of]);
  const quotes = narrow ? balanceOf(among) : (board.totals?.get(hypothesis.id) ?? noBalance);
  return html`
    <${Subject}
      context=${context}
      hypothesis=${hypothesis}
      people=${people}
      quotes=${quotes}
      narrow=${narrow}
      steps=${steps}
      want=${want}
      ready=${board.begun}
    />
    ${
      !board.begun &&
      html`
        <${Loading} />
      `
    }
  `;
}

// Living is what has become of the decision, and what further interviews add. Only that is about everybody,
// whatever the filters are.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Hypothesis} props.hypothesis
 * @param {LoadedBoard} props.board
 * @param {ReturnType<typeof useChallenges>} props.challenges
 * @param {BoardFilters} props.want
 */
function Living({ context, hypothesis, board, challenges: { of, look }, want }) {
  const people = board.people?.get(hypothesis.id);
  if (!board.begun) return null;
  return html`
    <${Challenged} ...${{ context, hypothesis, look }} challenge=${of.get(hypothesis.id)} />
    ${
      !narrows(want) &&
      html`
        <${Course} context=${context} hypothesis=${hypothesis} news=${board.people}>
          <${Decided}
            hypothesis=${hypothesis}
            now=${people && board.data && { ...people, ...readOf(board.data.answers) }}
          />
        <//>
      `
    }
  `;
}

// Missing is shown while there are no quotes: why they cannot be loaded, or why there are none.
/** @param {{ board: LoadedBoard, gaps: BoardGaps, context: Context }} props */
function Missing({ board: { data, error, reload, rows }, gaps, context }) {
  return html`
    <${Waiting} for=${{ data, error, reload }} />
    ${
      data &&
      rows.length === 0 &&
      html`
        <${NothingYet} gaps=${gaps} context=${context} />
      `
    }
  `;
}

/** @param {{ n: number }} props the number of rejected quotes that are not shown */
const Hidden = ({ n }) =>
  n > 0 &&
  html`
    <p class="faint more">
      ${count(n, 'rejected quote')} not shown.${' '}
      <button class="link" onClick=${() => setQuery({ review: 'all' })}>Show all</button>
    </p>
  `;
