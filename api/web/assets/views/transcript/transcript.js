// The transcript with the evidence marked. Selected words can be added as evidence.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { byteLength, piecesOf, spanOf, utteranceAt } from './bytes.js';
import { finding, marksOf } from './marks.js';
import { boxOf, nodeAt, pointIn } from './places.js';
import { hitsIn } from './highlight.js';
import { wholeWords } from './wholewords.js';
import { count } from '../../page/words.js';
import { clock } from '../shared/interviewwords.js';
import { Virtual } from './virtual.js';
import { Player } from './player.js';

const speakerHue = (speakers, name) => `voice-${speakers.indexOf(name) % 6}`;

const SETTLED_MS = 200; // without a change of the selection

const sameWords = (a, b) => a?.byteStart === b?.byteStart && a?.byteEnd === b?.byteEnd;

// Transcript shows utterances and evidence. hueOf(evidence) returns the colour class of its hypothesis;
// labelOf(evidence) a label and its text alternative {short, long}; selected.id is the id of the quote to
// scroll to, and place {ordinal, words} an utterance to scroll to and the words to mark in it. popover({span,
// box, close}) is shown beside selected words.
export function Transcript({
  utterances,
  evidence,
  unread,
  hueOf,
  stanceOf,
  labelOf,
  selected,
  canEdit,
  onMark,
  popover,
  place,
  search,
}) {
  const control = useRef();
  const box = useRef();
  const [span, setSpan] = useState(null);
  const [wanted, setWanted] = useState('');
  const [hit, setHit] = useState(0);
  const [playing, setPlaying] = useState(false); // there is a recording
  const [spoken, setSpoken] = useState(-1); // the index of the utterance that is played
  const player = useRef();
  const marks = useMemo(() => marksOf(utterances, evidence), [utterances, evidence]);
  const speakers = useMemo(() => [...new Set(utterances.map((u) => u.speaker))], [utterances]);
  const found = useMemo(() => finding(utterances, wanted), [utterances, wanted]);
  const now = found[Math.min(hit, found.length - 1)];
  const hits =
    found.length === 0 ? 'not found' : `${hit + 1} of ${found.length === 1000 ? '1000+' : found.length}`;
  const skipped = useMemo(() => (unread ?? []).filter((u) => Number.isInteger(u.from)), [unread]);
  const timed = useMemo(() => utterances.some((u) => u.start_ms !== null), [utterances]);
  const placed = useMemo(() => {
    const at = place ? utterances.findIndex((u) => u.ordinal === place.ordinal) : -1;
    if (at < 0) return null;
    const { text, byte_start: start } = utterances[at];
    const words = hitsIn(text, place.words).map(({ from, to }, i) => ({
      id: `place-${i}`,
      find: true,
      byte_start: start + byteLength(text, 0, from),
      byte_end: start + byteLength(text, 0, to),
    }));
    return { at, words };
  }, [place?.ordinal, place?.words, utterances]);
  const isSkipped = (ordinal) => skipped.find((u) => u.from <= ordinal && ordinal <= u.to);
  const wide = useRef(80); // characters per line, to estimate heights

  const scrollTo = (at, id) => control.current?.show(at, (row) => row.querySelector(`[data-marks~="${id}"]`));
  useEffect(() => {
    const e = evidence.find((one) => one.id === selected.id);
    if (e && e.byte_start !== null) scrollTo(utteranceAt(utterances, e.byte_start), e.id);
  }, [selected, utterances]);
  useEffect(() => {
    if (now) scrollTo(now.at, now.id);
  }, [now?.id, wanted]);

  useEffect(() => {
    if (placed) scrollTo(placed.at, placed.words[0]?.id);
  }, [placed]);
  useEffect(() => {
    const row = box.current?.querySelector(`[data-at="${spoken}"]`)?.getBoundingClientRect();
    const pane = box.current?.querySelector('.scroller').getBoundingClientRect();
    if (spoken >= 0 && !(row && row.top >= pane.top && row.bottom <= pane.bottom)) scrollTo(spoken);
  }, [spoken]);

  useEffect(() => {
    if (!canEdit) return undefined;
    let timer;
    let pressed = false;
    const inWords = (node) =>
      box.current?.contains(node) &&
      (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement).closest('.rows');
    // settle extends the selection to whole words, once it no longer changes.
    function settle() {
      const selection = document.getSelection();
      if (pressed || !selection || !inWords(selection.anchorNode)) return;
      if (selection.isCollapsed) {
        setSpan((now) => (now?.focus ? now : null));
        return;
      }
      const a = pointIn(selection.anchorNode, selection.anchorOffset);
      const b = pointIn(selection.focusNode, selection.focusOffset);
      if (!a || !b) return;
      const [from, to] = wholeWords(utterances, a, b);
      const next = spanOf(utterances, from, to);
      const [start, end] = [nodeAt(box.current, from), nodeAt(box.current, to)];
      if (next && start && end) selection.setBaseAndExtent(...start, ...end);
      setSpan((now) => (sameWords(now, next) ? now : next && { ...next, box: boxOf(box.current, next) }));
    }
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(settle, SETTLED_MS);
    };
    const onPress = ({ type }) => {
      pressed = type === 'pointerdown';
      later();
    };
    const presses = ['pointerdown', 'pointerup', 'pointercancel'];
    later(); // words may be selected already, while the names of the speakers are loaded
    document.addEventListener('selectionchange', later);
    presses.forEach((type) => document.addEventListener(type, onPress));
    return () => {
      clearTimeout(timer);
      document.removeEventListener('selectionchange', later);
      presses.forEach((type) => document.removeEventListener(type, onPress));
    };
  }, [utterances, canEdit]);

  // The popover stays beside its words when the transcript or the page is scrolled, or sizes change.
  useEffect(() => {
    if (!span) return undefined;
    const follow = () => setSpan((now) => now && { ...now, box: boxOf(box.current, now) ?? now.box });
    const sizes = new ResizeObserver(follow);
    sizes.observe(box.current);
    document.addEventListener('scroll', follow, { capture: true, passive: true });
    window.addEventListener('resize', follow);
    return () => {
      sizes.disconnect();
      document.removeEventListener('scroll', follow, { capture: true });
      window.removeEventListener('resize', follow);
    };
  }, [span?.byteStart, span?.byteEnd]);

  const wholeTurn = (at) => spanOf(utterances, { at, index: 0 }, { at, index: utterances[at].text.length });

  function row(at) {
    const u = utterances[at];
    const inside = [...(marks.get(at) ?? [])];
    if (now?.at === at) inside.push(now);
    if (placed?.at === at) inside.push(...placed.words);
    const labelled = new Set();
    const first = at === 0 || utterances[at - 1].speaker !== u.speaker;
    const reason = isSkipped(u.ordinal);
    return html`
      <div
        class=${[
          'turn',
          first && 'first',
          reason && 'unread',
          placed?.at === at && 'placed',
          spoken === at && 'spoken',
        ]
          .filter(Boolean)
          .join(' ')}
        aria-current=${spoken === at ? 'true' : undefined}
      >
        <div class="who">
          ${
            first &&
            u.speaker &&
            html`
              <b class=${speakerHue(speakers, u.speaker)} dir="auto">${u.speaker}</b>
            `
          }${
            u.start_ms !== null &&
            (playing
              ? html`
                  <button
                    class="link time"
                    aria-label=${`Play from ${clock(u.start_ms)}`}
                    onClick=${() => player.current.seek(u.start_ms)}
                  >
                    ${clock(u.start_ms)}
                  </button>
                `
              : html`
                  <span class="time">${clock(u.start_ms)}</span>
                `)
          }
        </div>
        <p class="text" dir="auto">
          ${
            inside.length === 0
              ? u.text
              : piecesOf(u, inside).map((piece, i) => {
                  if (piece.marks.length === 0) return piece.text;
                  const of = piece.marks.filter((m) => !m.find);
                  const top = of.find((m) => m.id === selected.id) ?? of[0];
                  const ids = piece.marks.map((m) => m.id).join(' ');
                  if (!top)
                    return html`
                      <mark key=${i} class="find" data-marks=${ids}>${piece.text}</mark>
                    `;
                  const begin = of.filter((m) => !labelled.has(m.id));
                  begin.forEach((m) => labelled.add(m.id));
                  const labels = begin.map(labelOf);
                  return html`
                    <mark
                      key=${i}
                      class=${[
                        hueOf(top),
                        stanceOf(top),
                        top.review,
                        top.id === selected.id && 'selected',
                        of.length > 1 && 'several',
                        of.length < piece.marks.length && 'find',
                      ]
                        .filter(Boolean)
                        .join(' ')}
                      data-marks=${ids}
                      data-label=${labels.map((l) => l.short).join(' ')}
                      data-meaning=${labels.map((l) => l.long).join(', ')}
                      title=${of.map((m) => labelOf(m).long).join(', ')}
                      onClick=${() => document.getSelection()?.isCollapsed && onMark(top)}
                    >
                      ${piece.text}
                    </mark>
                  `;
                })
          }
        </p>
        ${
          reason &&
          html`
            <p class="reason"><span>not analysed</span></p>
          `
        }
        ${
          canEdit &&
          u.text &&
          html`
            <button
              class="small quiet quote-turn"
              aria-label=${`Quote this turn${u.speaker ? ` by ${u.speaker}` : ''}`}
              onClick=${() => {
                const turn = wholeTurn(at);
                const chosen = turn && { ...turn, focus: true };
                if (turn) setSpan({ ...chosen, box: boxOf(box.current, chosen) });
              }}
            >
              Quote
            </button>
          `
        }
      </div>
    `;
  }
  const estimate = (i) => 14 + 24 * Math.max(1, Math.ceil(utterances[i].text.length / wide.current));
  return html`
    <section class="transcript" ref=${box} aria-label="Transcript">
      <div class="tools" role="search">
        <input
          ref=${search}
          type="search"
          placeholder="Find in the transcript"
          aria-label="Find in the transcript"
          value=${wanted}
          onInput=${(e) => {
            setWanted(e.currentTarget.value);
            setHit(0);
          }}
          onKeyDown=${(e) => {
            if (e.key === 'Enter' && found.length) {
              e.preventDefault();
              setHit((n) => (n + (e.shiftKey ? found.length - 1 : 1)) % found.length);
            }
            if (e.key === 'Escape') {
              setWanted('');
              e.currentTarget.blur();
            }
          }}
        />
        ${
          wanted.trim().length > 1 &&
          html`
            <span class="faint" role="status">${hits}</span>
            <button
              class="quiet icon"
              aria-label="Previous"
              disabled=${!found.length}
              onClick=${() => setHit((hit + found.length - 1) % found.length)}
            >
              ↑
            </button>
            <button
              class="quiet icon"
              aria-label="Next"
              disabled=${!found.length}
              onClick=${() => setHit((hit + 1) % found.length)}
            >
              ↓
            </button>
          `
        }
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
      ${
        span &&
        popover({
          span,
          box: span.box,
          close: () => {
            setSpan(null);
            document.getSelection()?.removeAllRanges();
            if (span.focus) box.current.querySelector(`[data-at="${span.from}"] .quote-turn`)?.focus();
          },
        })
      }
    </section>
  `;
}
