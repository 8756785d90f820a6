// Review mode: one quote at a time, between the turns around it, judged with one key.
import { html, useMemo, useRef, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { counts, interviewers } from '../../client/people.js';
import { Icon } from '../../page/icons.js';
import { useLoad } from '../../page/load.js';
import { say } from '../../page/messages.js';
import { go, note } from '../../page/router.js';
import { count } from '../../page/words.js';
import { Empty, Loading, Title, Waiting } from '../../page/ui.js';
import { useChosen } from '../findings/chosen.js';
import { useJudging } from '../judging/judging.js';
import { useLive } from '../judging/live.js';
import { Conflicts, Saving } from '../judging/saving.js';
import { asJudged, moment } from '../judging/unsaved.js';
import { confirmSpeaker } from '../shared/confirming.js';
import { evidenceColumns, place } from '../shared/card.js';
import { useKeys } from '../shared/keys.js';
import { choices, Stage } from './stage.js';
import { useTurns } from './turns.js';

const AHEAD = 5; // quotes whose turns are loaded in advance

// useQuotes loads the quotes of a hypothesis or, without one, of a project.
/** @param {Context} context @param {string | null} hypothesisId */
function useQuotes(context, hypothesisId) {
  return useLoad(
    async (signal) => {
      const since = moment();
      const [links, asks] = await Promise.all([
        list(
          'evidence_hypotheses',
          {
            ...(hypothesisId ? { hypothesis_id: `eq.${hypothesisId}` } : { project_id: `eq.${context.id}` }),
            select: `hypothesis_id,stance,strength,linked_at:updated_at,evidence!inner(${evidenceColumns})`,
            'evidence.review': 'neq.rejected',
            order: 'hypothesis_id,evidence_id',
          },
          { signal },
        ),
        interviewers(context.id, signal),
      ]);
      const order = new Map(context.hypotheses.map((h, i) => [h.id, i]));
      /** @param {Quote} row */
      const placeOf = (row) => order.get(row.hypothesis_id) ?? Infinity;
      return links
        .filter(({ evidence }) => !asks(evidence)) // what interviewers say is no evidence
        .map(({ evidence, ...link }) => asJudged({ ...evidence, ...link }, link.hypothesis_id, since))
        .sort(
          (a, b) =>
            placeOf(a) - placeOf(b) ||
            (a.import_id ?? '').localeCompare(b.import_id ?? '') ||
            (a.byte_start ?? 0) - (b.byte_start ?? 0),
        );
    },
    [context.id, hypothesisId],
  );
}

/** @param {{ context: Context, query: URLSearchParams }} props */
export function Review({ context, query }) {
  const hypothesisId = query.get('h');
  const quotes = useQuotes(context, hypothesisId);
  if (quotes.error || !quotes.data)
    return html`
      <main id="main" class="alone"><${Waiting} for=${quotes} /></main>
    `;
  return html`
    <${Pass}
      key=${hypothesisId}
      context=${context}
      quotes=${quotes}
      rows=${quotes.data}
      wanted=${query.get('q')}
      only=${hypothesisId}
    />
  `;
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

// usePass walks through the quotes that were unreviewed when it began.
/** @param {Quote[]} rows @param {string | null} wanted */
function usePass(rows, wanted) {
  const todo = useRef(/** @type {Item[] | null} */ (null));
  todo.current ??= itemsOf(rows);
  const all = todo.current;
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      all.findIndex(({ id }) => id === wanted),
    ),
  );
  /** @param {Item | undefined} one */
  const rowOf = (one) =>
    one && rows.find((row) => row.id === one.id && row.hypothesis_id === one.hypothesisId);
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
    next: useMemo(() => all.slice(at + 1, at + 1 + AHEAD).map(rowOf), [at]),
    open: all.filter(isOpen).length,
    move,
    moveOn() {
      const following = all.findIndex((one, i) => i > at && isOpen(one));
      move(following < 0 ? all.length : following);
    },
    moveToOpen: () => move(all.findIndex(isOpen)),
  };
}

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Loaded<Quote[]>} props.quotes
 * @param {Quote[]} props.rows
 * @param {string | null} props.wanted
 * @param {string | null} props.only
 */
function Pass({ context, quotes, rows, wanted, only }) {
  const pass = usePass(rows, wanted);
  const { all, at, item, row, open, move } = pass;
  const people = useLoad((signal) => counts(context.id, signal), [context.id]);
  const turns = useTurns(row, pass.next);
  const { review, undo, judged } = useJudging({
    rows: rows.filter((one) => all.some((i) => i.id === one.id && i.hypothesisId === one.hypothesis_id)),
    hypothesisId: item?.hypothesisId ?? only ?? undefined,
    apply: (/** @type {string} */ id, /** @type {Partial<Quote>} */ values) =>
      quotes.set((data) => data.map((one) => (one.id === id ? { ...one, ...values } : one))),
    saved: people.reload,
  });
  useLive({
    projectId: context.id,
    rows,
    filter: only ? { hypothesis_id: `eq.${only}` } : { project_id: `eq.${context.id}` },
    onRows: (/** @type {Quote[]} */ _, /** @type {(all: Quote[]) => Quote[]} */ replace) =>
      quotes.set(replace),
  });
  const back = `/projects/${context.id}/evidence${only ? `?h=${only}` : ''}`;

  /** @param {{ review: ReviewState, stance?: Stance }} to */
  function answer(to) {
    if (!row || !context.canEdit) return;
    review(row, { stance: row.stance, ...to });
    pass.moveOn();
  }
  const chosen = useChosen(item?.hypothesisId, (/** @type {Quote} */ one) =>
    review(one, { review: 'accepted', stance: one.stance }),
  );
  const choose = () => row && context.canEdit && chosen.toggle(row);
  function takeBack() {
    const id = undo();
    if (!id) return;
    move(all.findIndex((one) => one.id === id));
    say('Undone.');
  }
  const confirmed = (/** @type {Quote} */ { id, ...one }) =>
    confirmSpeaker({ id, ...one }, () =>
      quotes.set((data) => data.map((q) => (q.id === id ? { ...q, speaker_confirmed: true } : q))),
    );
  const address = row && place(row);
  useKeys({
    ...Object.fromEntries(choices.map(({ key, to }) => [key, () => answer(to)])),
    f: choose,
    c: () => row && context.canEdit && !row.speaker_confirmed && confirmed(row),
    u: takeBack,
    j: () => move(at + 1),
    k: () => move(at - 1),
    Enter: () => address && go(address),
    Escape: () => go(back),
  });

  return html`
    <main id="main" class="review">
      <header class="bar">
        <${Title}>Review<//>
        <progress value=${all.length - open} max=${Math.max(1, all.length)} aria-label="Reviewed"></progress>
        <span class="faint">${Math.min(at + 1, all.length)} of ${all.length}</span>
        <span class="grow"></span>
        <${Saving} judged=${judged} />
        <a class="button quiet" href=${back}>
          Close
          <kbd>Esc</kbd>
        </a>
      </header>
      <${Conflicts} rows=${rows} />
      ${
        !row
          ? html`
              <${End} pass=${pass} judged=${judged} back=${back} takeBack=${takeBack} />
            `
          : !turns
            ? html`
                <div class="stage"><${Loading} /></div>
              `
            : html`
                <${Stage}
                  row=${row}
                  turns=${turns}
                  hypothesis=${context.hypotheses.find((h) => h.id === item?.hypothesisId)}
                  rows=${rows}
                  people=${people.data?.get(row.hypothesis_id)}
                >
                  ${
                    context.canEdit &&
                    html`
                      <${Verdicts}
                        row=${row}
                        chosen=${chosen.ids.has(row.id)}
                        judged=${judged}
                        ...${{ answer, choose, takeBack }}
                        confirm=${() => confirmed(row)}
                      />
                    `
                  }
                <//>
              `
      }
    </main>
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

// End is shown after the last quote.
/**
 * @param {object} props
 * @param {ReturnType<typeof usePass>} props.pass
 * @param {number} props.judged
 * @param {string} props.back
 * @param {() => void} props.takeBack
 */
function End({ pass: { all, open, moveToOpen }, judged, back, takeBack }) {
  return html`
    <div class="stage">
      <${Empty} title=${all.length === 0 ? 'Nothing to review' : 'Everything is reviewed'}>
        <p>
          ${
            all.length === 0
              ? 'Every quote is accepted or rejected. New quotes appear here when an interview is analysed.'
              : `${count(all.length - open, 'quote')} reviewed, ${open} left.`
          }
        </p>
        <p class="do">
          ${
            open > 0 &&
            html`
              <button class="primary" onClick=${moveToOpen}>Review the rest</button>
            `
          }
          ${
            judged > 0 &&
            html`
              <button onClick=${takeBack}>
                <kbd aria-hidden="true">u</kbd>
                Undo
              </button>
            `
          }
          <a class="button" href=${back}>
            <${Icon} name="scales" />
            To the evidence
          </a>
        </p>
      <//>
    </div>
  `;
}
