// The transcript of an interview, and its evidence beside it.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { running } from '../shared/interviewwords.js';
import { useKeys } from '../../page/keys.js';
import { toast } from '../../page/messages.js';
import { Transcript } from '../transcript/transcript.js';
import { CERTAIN } from '../transcript/turn.js';
import { useAdding } from './adding.js';
import { useChanges } from './changes.js';
import { Craft } from './craft.js';
import { Listed } from './evidencelist.js';
import { Answers } from './head.js';
import { statementsOf, useLabels } from './labels.js';
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

// Reading shows what was found in an interview. evidence and utterances have the names of the speakers; set
// changes what was found. The address that a search leads to has a quote, or an utterance and the words to
// mark; that of a quote of an answer has an utterance and bytes.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Interview} props.row
 * @param {Utterance[]} props.utterances
 * @param {LinkedEvidence[]} props.evidence
 * @param {Answer[]} props.answers
 * @param {Loaded<Found>['set']} props.set
 * @param {URLSearchParams} props.query
 * @param {Pick<Correcting, 'corrected' | 'onCorrect'>} props.correcting
 * @param {Loaded<InterviewCraft>} props.craft
 * @param {NameOf} props.nameOf
 * @param {null | (() => void)} props.onName asks who the speakers are
 * @param {(words: string) => void} props.onRedact
 */
export function Reading({ context, row, utterances, evidence: all, answers, set, query, ...props }) {
  const { correcting, craft, nameOf, onName, onRedact } = props;
  const [only, setOnly] = useState(''); // a hypothesis
  /** @type {Ref<HTMLInputElement>} */
  const search = useRef();
  /** @type {Ref<HTMLElement>} */
  const panel = useRef();
  const labels = useLabels(context, only);
  const listed = useMemo(
    () => all.filter((e) => !only || e.evidence_hypotheses.some((l) => l.hypothesis_id === only)),
    [all, only],
  );
  const { selected, current, select, choose, showCard, showWords, step } = useSelected(
    listed,
    query.get('e'),
    panel,
  );
  const marked = useMemo(
    () => listed.filter((e) => e.review !== 'rejected' || e.id === selected.id),
    [listed, selected.id],
  );
  const { review, undo, judged, change, drop, put } = useChanges(all, set);
  const isDoubtful = (/** @type {Span} */ { from, to }) =>
    utterances.slice(from, to + 1).some(({ confidence }) => confidence < CERTAIN);
  const adding = useAdding({
    context,
    importId: row.id,
    only,
    isDoubtful,
    onRedact: running(row.status) ? null : onRedact,
    onAdded(e) {
      put(e);
      select(e.id);
      toast('Evidence added, word for word from the transcript.');
    },
  });
  /** @param {LinkedEvidence} e @param {ReviewState} verdict */
  const judge = (e, verdict) => review(e, { review: verdict });
  /** @param {ReviewState} verdict */
  function judgeCurrent(verdict) {
    if (!current || !context.canEdit) return;
    const next = listed.at(listed.indexOf(current) + 1);
    judge(current, verdict);
    if (next) showCard(next);
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    a: () => judgeCurrent('accepted'),
    r: () => judgeCurrent('rejected'),
    u: undo,
    '/': () => search.current.focus(),
    Enter: () => current && showWords(current),
  });
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
        onMark=${showCard}
        popover=${adding.popover}
        corrected=${correcting.corrected}
        onCorrect=${correcting.onCorrect}
      />
      <aside class="findings" aria-label="Evidence" ref=${panel}>
        <${Craft} id=${row.id} craft=${craft} nameOf=${nameOf} onGo=${go} onName=${onName} />
        <${Answers}
          answers=${answers}
          row=${row}
          hues=${labels.hues}
          numbers=${labels.numbers}
          only=${only}
          setOnly=${setOnly}
        />
        ${
          !running(row.status) &&
          html`
            <${LastAnalysis} id=${row.id} finishedAt=${row.finished_at} statement=${statement} />
          `
        }
        <${Listed}
          context=${context}
          status=${row.status}
          answers=${answers.filter((a) => !only || a.hypothesis_id === only)}
          all=${all}
          listed=${listed}
          current=${current}
          judged=${judged}
          hues=${labels.hues}
          numbers=${labels.numbers}
          statement=${statement}
          onSelect=${(/** @type {LinkedEvidence} */ e) => choose(e, { scroll: false })}
          onOpen=${showWords}
          onReview=${judge}
          onChange=${change}
          onGone=${drop}
          onBack=${put}
        />
      </aside>
    </div>
    ${adding.dialog}
  `;
}
