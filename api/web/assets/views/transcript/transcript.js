// The transcript with the evidence marked. Selected words can be added as evidence.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { utteranceAt } from './bytes.js';
import { Finding, useFinding } from './finding.js';
import { marksOf, placeIn } from './marks.js';
import { stripesOf } from './stripes.js';
import { paneOf } from './places.js';
import { useSelection } from './selection.js';
import { count } from '../../page/words.js';
import { Turn } from './turn.js';
import { useTurnKeys } from './turnkeys.js';
import { Virtual } from './virtual.js';
import { Player } from './player.js';

const LINE = 80; // characters, to estimate heights

// voicesOf returns the classes of the names of the speakers.
/** @param {Utterance[]} utterances */
const voicesOf = (utterances) =>
  new Map([...new Set(utterances.map((u) => u.speaker))].map((name, i) => [name, `voice-${i % 6}`]));

// Transcript shows utterances and evidence. selected.id is the id of the quote to scroll to, unless it is
// still, and place an utterance to scroll to. popover({span, close}) is shown beside chosen words. It sets
// words.current.
/**
 * @param {object} props
 * @param {Utterance[]} props.utterances
 * @param {LinkedEvidence[]} props.evidence
 * @param {UnreadRange[]} props.unread
 * @param {EvidenceMarks} props.labels
 * @param {{ id: string | null, still?: boolean }} props.selected
 * @param {WantedPlace | null} props.place
 * @param {boolean} props.canEdit
 * @param {Ref<HTMLInputElement>} props.search
 * @param {Ref<WordsControl | null>} props.words
 * @param {(e: LinkedEvidence) => void} props.onMark
 * @param {(chosen: { span: ChosenSpan, close: () => void }) => Children} props.popover
 * @param {(u: Utterance) => Children} props.corrected what a turn was, if somebody corrected it
 * @param {null | ((ordinal: number) => void)} props.onCorrect
 */
export function Transcript({
  utterances,
  evidence,
  unread,
  labels,
  selected,
  place,
  canEdit,
  search,
  words,
  onMark,
  popover,
  corrected,
  onCorrect,
}) {
  const control = useRef(/** @type {VirtualControl | null} */ (null));
  const player = useRef(/** @type {PlayerControl | null} */ (null));
  /** @type {Ref<HTMLElement>} */
  const box = useRef();
  const [playing, setPlaying] = useState(false); // there is a recording
  const [spoken, setSpoken] = useState(-1); // the index of the utterance that is played
  const finding = useFinding(utterances);
  const marks = useMemo(() => marksOf(utterances, evidence), [utterances, evidence]);
  const voices = useMemo(() => voicesOf(utterances), [utterances]);
  const timed = useMemo(() => utterances.some((u) => u.start_ms !== null), [utterances]);
  const placed = useMemo(
    () => placeIn(utterances, place),
    [place?.ordinal, place?.words, place?.bytes?.byte_start, place?.asked, utterances],
  );
  /** @param {number} at @param {string} [id] of a mark */
  const scrollTo = (at, id) =>
    control.current?.show(at, (row) => (id ? row.querySelector(`[data-marks~="${id}"]`) : null));
  useEffect(() => {
    const e = !selected.still && evidence.find((one) => one.id === selected.id);
    if (e && e.byte_start !== null) scrollTo(utteranceAt(utterances, e.byte_start), e.id);
  }, [selected, utterances]);
  useEffect(() => {
    if (finding.now) scrollTo(finding.now.at, finding.now.id);
  }, [finding.now?.id, finding.wanted]);
  useEffect(() => {
    if (placed) scrollTo(placed.at, placed.words.at(0)?.id);
  }, [placed]);
  useEffect(() => {
    const row = box.current.querySelector(`[data-at="${spoken}"]`)?.getBoundingClientRect();
    const pane = paneOf(box.current);
    if (spoken >= 0 && !(row && row.top >= pane.top && row.bottom <= pane.bottom)) scrollTo(spoken);
  }, [spoken]);
  const { span, quote, theme, close } = useSelection(utterances, canEdit, box);
  const turns = useTurnKeys({ box, count: utterances.length, canEdit, quote, scrollTo });
  words.current = { theme: () => theme() || turns.theme(), enter: turns.enter };

  /** @param {number} at */
  function row(at) {
    const u = utterances[at];
    return html`
      <${Turn}
        utterance=${u}
        first=${at === 0 || utterances[at - 1].speaker !== u.speaker}
        voice=${voices.get(u.speaker)}
        unread=${unread.some(({ from, to }) => from <= u.ordinal && u.ordinal <= to)}
        placed=${placed?.at === at}
        spoken=${spoken === at}
        stripes=${stripesOf(marks.get(at), labels)}
        marks=${[
          ...(marks.get(at) ?? []),
          ...(finding.now?.at === at ? [finding.now] : []),
          ...(placed?.at === at ? placed.words : []),
        ]}
        labels=${labels}
        selected=${selected.id}
        onMark=${onMark}
        onPlay=${playing && ((/** @type {number} */ ms) => player.current?.seek(ms))}
        onQuote=${canEdit && (() => quote(at))}
        onCorrect=${onCorrect && (() => onCorrect(u.ordinal))}
        corrected=${corrected(u)}
      />
    `;
  }
  /** @param {number} at */
  const estimate = (at) => 14 + 24 * Math.max(1, Math.ceil(utterances[at].text.length / LINE));
  return html`
    <section class="transcript" ref=${box} aria-label="Transcript" onKeyDown=${turns.onKeyDown}>
      <div class="tools" role="search">
        <${Finding} ...${finding} input=${search} />
        <span class="grow"></span>
        ${
          timed &&
          html`
            <${Player} utterances=${utterances} control=${player} onReady=${setPlaying} onTurn=${setSpoken} />
          `
        }
        <span class="faint">${count(utterances.length, 'turn')}</span>
      </div>
      <${Virtual}
        count=${utterances.length}
        estimate=${estimate}
        row=${row}
        label="Transcript, scrollable"
        control=${control}
      />
      ${span && popover({ span, close })}
    </section>
  `;
}
