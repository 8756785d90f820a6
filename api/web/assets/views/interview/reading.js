// The transcript of an interview, and its evidence beside it.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { running } from '../shared/interviewwords.js';
import { pressNotes, pressTheme } from '../shared/themechips.js';
import { useKeys } from '../../page/keys.js';
import { toast } from '../../page/messages.js';
import { Transcript } from '../transcript/transcript.js';
import { CERTAIN } from '../transcript/turn.js';
import { useAdding } from './adding.js';
import { useChanges } from './changes.js';
import { matching, ThemeLimits, useCoding, useLimit } from './coding.js';
import { Craft } from './craft.js';
import { Listed } from './evidencelist.js';
import { Answers } from './head.js';
import { statementsOf, useLabels } from './labels.js';
import { hop } from './neighbours.js';
import { LastAnalysis } from './lastanalysis.js';
import { useSelected } from './selecting.js';

/** @typedef {ReturnType<typeof import('./correcting.js').useCorrecting>} Correcting */

// bytesOf returns the bytes that an address names as "12-34", or nothing.
/** @param {string} range @returns {ByteRange | undefined} */
function bytesOf(range) {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(range) ?? [];
  return end === undefined ? undefined : { byte_start: Number(start), byte_end: Number(end) };
}

// usePlace returns the place to scroll to: that of the address, or the one that somebody asked for since, by
// go. On a phone the panel is below the transcript, which is scrolled to.
/** @param {URLSearchParams} query @param {Ref<HTMLElement>} panel */
function usePlace(query, panel) {
  const [wanted, setWanted] = useState(/** @type {WantedPlace | null} */ (null));
  const [at, words, forms] = [query.get('u'), query.get('q') ?? '', query.get('f') ?? ''];
  const range = query.get('b') ?? '';
  useEffect(() => setWanted(null), [at, words, range]);
  return {
    place:
      wanted ??
      (at === null
        ? null
        : {
            ordinal: Number(at),
            words,
            forms: forms.split(' ').slice(0, 100),
            bytes: bytesOf(range),
          }),
    /** @param {number} ordinal @param {ByteRange} [bytes] */
    go(ordinal, bytes) {
      setWanted((was) => ({ ordinal, words: '', forms: [], bytes, asked: (was?.asked ?? 0) + 1 }));
      if (getComputedStyle(panel.current).overflowY !== 'auto')
        panel.current.previousElementSibling?.scrollIntoView({ block: 'start' });
    },
  };
}

// Reading shows what was found in an interview. evidence and utterances have the names of the speakers;
// found is as it was loaded. The address that a search leads to has a quote, or an utterance and the words to
// mark; that of a quote of an answer has an utterance and bytes.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Interview} props.row
 * @param {Utterance[]} props.utterances
 * @param {LinkedEvidence[]} props.evidence
 * @param {Answer[]} props.answers
 * @param {Loaded<Found>} props.found
 * @param {URLSearchParams} props.query
 * @param {Pick<Correcting, 'corrected' | 'onCorrect'>} props.correcting
 * @param {Loaded<InterviewCraft>} props.craft
 * @param {NameOf} props.nameOf
 * @param {null | (() => void)} props.onName asks who the speakers are
 * @param {(words: string) => void} props.onRedact
 */
export function Reading({ context, row, utterances, evidence: all, answers, found, query, ...props }) {
  const { correcting, craft, nameOf, onName, onRedact } = props;
  const [only, setOnly] = useState(''); // a hypothesis
  const limit = useLimit(all);
  /** @type {Ref<HTMLInputElement>} */
  const search = useRef();
  /** @type {Ref<HTMLElement>} */
  const panel = useRef();
  const words = useRef(/** @type {WordsControl | null} */ (null));
  const listed = useMemo(
    () =>
      all.filter(
        (e) =>
          (!only || e.evidence_hypotheses.some((l) => l.hypothesis_id === only)) && matching(e, limit.theme),
      ),
    [all, only, limit.theme],
  );
  const selecting = useSelected(listed, query.get('e'), panel);
  const { selected, current, select, showCard, showWords } = selecting;
  const marked = useMemo(
    () => listed.filter((e) => e.review !== 'rejected' || e.id === selected.id),
    [listed, selected.id],
  );
  const changes = useChanges(all, found.set);
  const isDoubtful = (/** @type {Span} */ { from, to }) =>
    utterances.slice(from, to + 1).some(({ confidence }) => confidence < CERTAIN);
  /** @param {LinkedEvidence} e */
  function onAdded(e) {
    changes.put(e);
    select(e.id);
    toast('Evidence added, word for word from the transcript.');
  }
  const coding = useCoding({
    context,
    importId: row.id,
    all,
    found,
    changes,
    onCoded: (e) => select(e.id),
  });
  const labels = useLabels(context, only, coding.themes.byId);
  const adding = useAdding({
    context,
    importId: row.id,
    only,
    isDoubtful,
    onRedact: running(row.status) ? null : onRedact,
    coding,
    onAdded,
  });
  useReadingKeys({ context, importId: row.id, listed, selecting, changes, search, words, panel });
  const statement = statementsOf(answers, context.hypotheses);
  const { place, go } = usePlace(query, panel);
  return html`
    <div class="panes">
      <${Transcript}
        utterances=${utterances}
        evidence=${marked}
        unread=${row.unread}
        labels=${labels}
        place=${place}
        selected=${selected}
        canEdit=${context.canEdit}
        search=${search}
        words=${words}
        onMark=${showCard}
        popover=${adding.popover}
        corrected=${correcting.corrected}
        onCorrect=${correcting.onCorrect}
      />
      <aside class="findings" aria-label="Evidence" ref=${panel}>
        <${Craft} id=${row.id} craft=${craft} nameOf=${nameOf} onGo=${go} onName=${onName} />
        <${Answers} ...${{ answers, row, only, setOnly }} hues=${labels.hues} numbers=${labels.numbers} />
        <${ThemeLimits} all=${all} themes=${coding.themes.themes} ...${limit} />
        ${
          !running(row.status) &&
          html`
            <${LastAnalysis} id=${row.id} finishedAt=${row.finished_at} statement=${statement} />
          `
        }
        <${Listed}
          ...${{ context, all, listed, current, coding, changes, statement }}
          status=${row.status}
          answers=${answers.filter((a) => !only || a.hypothesis_id === only)}
          hues=${labels.hues}
          numbers=${labels.numbers}
          onSelect=${(/** @type {LinkedEvidence} */ e) => selecting.choose(e, { scroll: false })}
          onOpen=${showWords}
        />
      </aside>
    </div>
    ${adding.dialog}
  `;
}

// useReadingKeys has keys move between quotes and interviews, judge the selected quote, give it a theme, and
// choose words.
/**
 * @param {object} of
 * @param {Context} of.context
 * @param {string} of.importId
 * @param {LinkedEvidence[]} of.listed
 * @param {ReturnType<typeof useSelected>} of.selecting
 * @param {ReturnType<typeof useChanges>} of.changes
 * @param {Ref<HTMLInputElement>} of.search
 * @param {Ref<WordsControl | null>} of.words
 * @param {Ref<HTMLElement>} of.panel
 */
function useReadingKeys({ context, importId, listed, selecting, changes, search, words, panel }) {
  const { current, step, showCard, showWords } = selecting;
  /** @param {ReviewState} verdict */
  function judge(verdict) {
    if (!current || !context.canEdit) return;
    const next = listed.at(listed.indexOf(current) + 1);
    changes.review(current, { review: verdict });
    if (next) showCard(next);
  }
  /** @returns {Element | null} */
  const card = () =>
    current && panel.current.querySelector(`[data-evidence-card="${CSS.escape(current.id)}"]`);
  // The words that somebody chose come first, then the turn that has the focus, then the selected quote.
  function theme() {
    if (!context.canEdit || words.current?.theme()) return;
    if (current) pressTheme(card());
    else words.current?.enter();
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    a: () => judge('accepted'),
    r: () => judge('rejected'),
    u: changes.undo,
    t: theme,
    T: theme,
    w: () => words.current?.enter(),
    n: () => pressNotes(card()),
    '[': () => hop(context.id, importId, -1),
    ']': () => hop(context.id, importId, 1),
    '/': () => search.current.focus(),
    Enter: () => current && showWords(current),
  });
}
