// Review mode: one quote at a time, between the turns around it, judged with one key.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { piecesOf } from '../transcript/bytes.js';
import { Icon } from '../../page/icons.js';
import { asJudged, moment } from '../judging/unsaved.js';
import { useLoad } from '../../page/load.js';
import { counts, interviewers } from '../../client/people.js';
import { go, note } from '../../page/router.js';
import { clock, count, matches, reviews, stanceMarks, stanceVerbs } from '../../page/words.js';
import { Empty, Loading, Problem, Title } from '../../page/ui.js';
import { say } from '../../page/messages.js';
import { useKeys } from '../shared/keys.js';
import { Headline } from '../hypotheses/answer.js';
import { evidenceColumns, place } from '../shared/card.js';
import { useChosen } from '../findings/chosen.js';
import { useJudging } from '../judging/judging.js';
import { useLive } from '../judging/live.js';
import { Conflicts, Saving } from '../judging/saving.js';

const TURNS = 2; // shown before and after the quote
const REACH = 12; // utterances loaded before and after it, because a turn may have several
const AHEAD = 5; // quotes whose turns are loaded in advance

const answers = [
  { key: '1', text: stanceVerbs.supports, kind: 'supports', to: { review: 'accepted', stance: 'supports' } },
  {
    key: '2',
    text: stanceVerbs.contradicts,
    kind: 'contradicts',
    to: { review: 'accepted', stance: 'contradicts' },
  },
  { key: '3', text: stanceVerbs.neutral, kind: 'neutral', to: { review: 'accepted', stance: 'neutral' } },
  { key: 'r', text: 'Reject', kind: 'rejected', to: { review: 'rejected' } },
];

// useQuotes loads the quotes of a hypothesis or, without one, of a project.
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
      return links
        .filter(({ evidence }) => !asks(evidence)) // what interviewers say is no evidence
        .map(({ evidence, ...link }) => asJudged({ ...evidence, ...link }, link.hypothesis_id, since))
        .sort(
          (a, b) =>
            order.get(a.hypothesis_id) - order.get(b.hypothesis_id) ||
            (a.import_id ?? '').localeCompare(b.import_id ?? '') ||
            (a.byte_start ?? 0) - (b.byte_start ?? 0),
        );
    },
    [context.id, hypothesisId],
  );
}

// turnsAround loads the utterances around a quote, and groups those of one speaker.
async function turnsAround(row, signal) {
  if (row.byte_start === null) return [];
  const utterances = await list(
    'utterances',
    {
      import_id: `eq.${row.import_id}`,
      ordinal: [`gte.${row.utterance_from - REACH}`, `lte.${row.utterance_to + REACH}`],
      select: 'ordinal,speaker,start_ms,text,byte_start,byte_end',
      order: 'ordinal',
    },
    { signal },
  );
  const turns = [];
  for (const u of utterances) {
    const inside = u.byte_start < row.byte_end && u.byte_end > row.byte_start;
    const last = turns.at(-1);
    if (last && last.speaker === u.speaker && last.inside === inside) last.utterances.push(u);
    else turns.push({ speaker: u.speaker, inside, utterances: [u] });
  }
  const first = turns.findIndex((turn) => turn.inside);
  const last = turns.findLastIndex((turn) => turn.inside);
  return turns.slice(Math.max(0, first - TURNS), last + 1 + TURNS);
}

// useTurns returns the turns around a quote: null until those of the first quote are loaded, and none if they could
// not be loaded. Those of the next quotes are loaded too, so that a lost connection does not stop the review.
function useTurns(row, next) {
  const [, again] = useState(0);
  const known = useRef(new Map());
  const failed = useRef(new Set());
  const begun = useRef(false);
  useEffect(() => {
    const control = new AbortController();
    for (const one of [row, ...next].filter(Boolean)) {
      if (known.current.get(one.id)) continue;
      turnsAround(one, control.signal).then(
        (turns) => {
          known.current.set(one.id, turns);
          again((n) => n + 1);
        },
        () => {
          if (control.signal.aborted) return;
          failed.current.add(one.id);
          again((n) => n + 1);
        },
      );
    }
    return () => control.abort();
  }, [row?.id]);
  if (!row) return null;
  begun.current ||= known.current.has(row.id) || failed.current.has(row.id);
  return known.current.get(row.id) ?? (begun.current ? [] : null);
}

function Turn({ turn, row }) {
  return html`
    <div class=${'turn-row' + (turn.inside ? ' inside' : '')}>
      <p class="who">
        <b dir="auto">${turn.speaker}</b>
        <span class="time">${clock(turn.utterances[0].start_ms)}</span>
      </p>
      <p class="text" dir="auto">
        ${turn.utterances.map(
          (u, i) => html`
            ${i > 0 && ' '}
            ${
              turn.inside
                ? piecesOf(u, [row]).map((piece) =>
                    piece.marks.length > 0
                      ? html`
                          <mark class=${row.stance}>${piece.text}</mark>
                        `
                      : piece.text,
                  )
                : u.text
            }
          `,
        )}
      </p>
    </div>
  `;
}

function Suggestion({ row }) {
  const how = row.match === 'manual' ? matches.manual.short : `quote found word for word`;
  return html`
    <p class="why">
      ${
        row.origin !== 'human' &&
        html`
          <b>Suggested: ${stanceVerbs[row.suggested].toLowerCase()}.${' '}</b>
        `
      }
      <span dir="auto">${row.rationale || row.summary}</span>
      ${' '}
      <span class="source">
        ${[row.model, `${how}${row.start_ms === null ? '' : ` at ${clock(row.start_ms)}`}`]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </p>
  `;
}

export function Review({ context, query }) {
  const hypothesisId = query.get('h');
  const quotes = useQuotes(context, hypothesisId);
  if (quotes.error)
    return html`
      <main id="main" class="alone"><${Problem} error=${quotes.error} retry=${quotes.reload} /></main>
    `;
  if (!quotes.data)
    return html`
      <main id="main" class="alone"><${Loading} /></main>
    `;
  return html`
    <${Session}
      key=${hypothesisId}
      context=${context}
      quotes=${quotes}
      wanted=${query.get('q')}
      only=${hypothesisId}
    />
  `;
}

// Session is the review of the quotes that were unreviewed when it began.
function Session({ context, quotes, wanted, only }) {
  const rows = quotes.data;
  const todo = useRef(null);
  // A quote with several hypotheses is reviewed once.
  todo.current ??= [
    ...new Map(
      rows
        .filter((row) => row.review === 'suggested')
        .reverse()
        .map((row) => [row.id, { id: row.id, hypothesisId: row.hypothesis_id, suggested: row.stance }]),
    ).values(),
  ].reverse();
  const all = todo.current;
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      all.findIndex(({ id }) => id === wanted),
    ),
  );
  const people = useLoad((signal) => counts(context.id, signal), [context.id]);
  const item = all[at];
  const rowOf = (one) =>
    one && rows.find((row) => row.id === one.id && row.hypothesis_id === one.hypothesisId);
  const found = rowOf(item);
  const row = found && { ...found, suggested: item.suggested };
  const next = useMemo(() => all.slice(at + 1, at + 1 + AHEAD).map(rowOf), [at]);
  const turns = useTurns(row, next);
  const { review, undo, judged } = useJudging({
    rows: rows.filter((one) => all.some((i) => i.id === one.id && i.hypothesisId === one.hypothesis_id)),
    hypothesisId: item?.hypothesisId ?? only,
    apply: (id, values) =>
      quotes.set((data) => data.map((one) => (one.id === id ? { ...one, ...values } : one))),
    saved: people.reload,
  });
  useLive({
    projectId: context.id,
    rows,
    filter: only ? { hypothesis_id: `eq.${only}` } : { project_id: `eq.${context.id}` },
    onRows: (changed, replace) => quotes.set(replace),
  });
  const hypothesis = context.hypotheses.find((h) => h.id === item?.hypothesisId);
  const back = `/projects/${context.id}/evidence${only ? `?h=${only}` : ''}`;

  function move(to) {
    const index = Math.max(0, Math.min(all.length, to));
    setAt(index);
    note({ q: all[index]?.id ?? null });
    window.scrollTo(0, 0);
  }
  function answer(to) {
    if (!row || !context.canEdit) return;
    review(row, { stance: row.stance, ...to });
    const following = all.findIndex((one, i) => i > at && rowOf(one)?.review === 'suggested');
    move(following < 0 ? all.length : following);
  }
  const chosen = useChosen(item?.hypothesisId, (one) =>
    review(one, { review: 'accepted', stance: one.stance }),
  );
  const choose = () => row && context.canEdit && chosen.toggle(row);
  function takeBack() {
    const id = undo();
    if (!id) return;
    move(all.findIndex((one) => one.id === id));
    say('Undone.');
  }
  useKeys({
    ...Object.fromEntries(answers.map(({ key, to }) => [key, () => answer(to)])),
    f: choose,
    u: takeBack,
    j: () => move(at + 1),
    k: () => move(at - 1),
    Enter: () => row && place(row) && go(place(row)),
    Escape: () => go(back),
  });

  const open = all.filter((one) => rowOf(one)?.review === 'suggested').length;
  const so =
    row &&
    rows.filter(
      (one) => one.speaker === row.speaker && one.hypothesis_id === row.hypothesis_id && one.id !== row.id,
    );
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
        row && !turns
          ? html`
              <div class="stage"><${Loading} /></div>
            `
          : row
            ? html`
                <div class="stage">
                  <section class="words" aria-label="Quote">
                    <p class="about-hypothesis">
                      <span class="faint">Hypothesis</span>
                      <b dir="auto">${hypothesis?.statement}</b>
                    </p>
                    ${
                      turns.length
                        ? turns.map(
                            (turn) => html`
                              <${Turn} key=${turn.utterances[0].ordinal} turn=${turn} row=${row} />
                            `,
                          )
                        : html`
                            <blockquote class="turn-row inside" dir="auto">
                              <p class="who"><b dir="auto">${row.speaker}</b></p>
                              <p class="text"><mark class=${row.stance}>${row.quote}</mark></p>
                            </blockquote>
                          `
                    }
                    <${Suggestion} row=${row} />
                    ${
                      context.canEdit &&
                      html`
                        <div class="verdicts" role="group" aria-label="Judgement">
                          ${answers.map(
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
                          <button
                            aria-keyshortcuts="f"
                            aria-pressed=${chosen.ids.has(row.id)}
                            onClick=${choose}
                          >
                            <kbd aria-hidden="true">f</kbd>
                            In findings
                          </button>
                          <button aria-keyshortcuts="u" disabled=${judged === 0} onClick=${takeBack}>
                            <kbd aria-hidden="true">u</kbd>
                            Undo
                          </button>
                        </div>
                      `
                    }
                  </section>
                  <aside class="beside" aria-label="Context">
                    ${
                      so.length > 0 &&
                      html`
                        <h2>Also from ${row.speaker || 'this speaker'}</h2>
                        <ul>
                          ${so.slice(0, 6).map(
                            (one) => html`
                              <li key=${one.id}>
                                <span class=${'stance ' + one.stance} title=${stanceVerbs[one.stance]}>
                                  <span aria-hidden="true">${stanceMarks[one.stance]}</span>
                                  <span class="unseen">${stanceVerbs[one.stance]}</span>
                                </span>
                                <span dir="auto">${one.quote}</span>
                              </li>
                            `,
                          )}
                        </ul>
                      `
                    }
                    ${
                      people.data?.get(row.hypothesis_id) &&
                      html`
                        <h2>This hypothesis</h2>
                        <p class="headline"><${Headline} of=${people.data.get(row.hypothesis_id)} /></p>
                      `
                    }
                    ${
                      row.review !== 'suggested' &&
                      html`
                        <p class="faint" role="status" dir="auto">
                          ${`${row.reviewer?.display_name ?? 'You'}: ${reviews[row.review]}`}
                        </p>
                      `
                    }
                  </aside>
                </div>
              `
            : html`
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
                          <button
                            class="primary"
                            onClick=${() => move(all.findIndex((one) => rowOf(one)?.review === 'suggested'))}
                          >
                            Review the rest
                          </button>
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
              `
      }
    </main>
  `;
}
