// A turn of a transcript: who speaks, when, and the words with their marks.
import { html } from '../../page/html.js';
import { clock } from '../shared/interviewwords.js';
import { piecesOf } from './bytes.js';
import { Stripes } from './stripes.js';

// CERTAIN is the confidence from which the speaker of a turn is certain.
export const CERTAIN = 0.9;

/** @param {(string | false)[]} all */
const classes = (...all) => all.filter(Boolean).join(' ');

// Turn shows an utterance. first says that it is the first one of its speaker, whose name has the class
// voice; placed and spoken that a link leads to it, and that it is played.
/**
 * @param {object} props
 * @param {Utterance} props.utterance
 * @param {boolean} props.first
 * @param {string | undefined} props.voice
 * @param {boolean} props.unread
 * @param {boolean} props.placed
 * @param {boolean} props.spoken
 * @param {(LocatedEvidence | MarkedWords)[]} props.marks
 * @param {EvidenceMarks} props.labels
 * @param {string | null} props.selected the id of a quote
 * @param {(e: LinkedEvidence) => void} props.onMark
 * @param {Stripe[]} props.stripes
 * @param {false | ((ms: number) => void)} props.onPlay
 * @param {false | (() => void)} props.onQuote
 * @param {false | (() => void)} props.onCorrect
 * @param {Children} props.corrected what it was
 */
export function Turn({ utterance: u, first, voice, unread, placed, spoken, ...props }) {
  const { stripes, onPlay, onQuote, onCorrect, corrected, ...words } = props;
  return html`
    <div
      class=${classes('turn', first && 'first', unread && 'unread', placed && 'placed', spoken && 'spoken')}
      aria-current=${spoken ? 'true' : undefined}
    >
      ${
        stripes.length > 0 &&
        html`
          <${Stripes} of=${stripes} selected=${words.selected} onQuote=${words.onMark} />
        `
      }
      <div class="who">
        ${
          first &&
          u.speaker &&
          html`
            <b class=${voice} dir="auto">${u.speaker}</b>
          `
        }${
          u.confidence < CERTAIN &&
          html`
            <span class="warn" title="It is not certain who says this turn">
              ?
              <span class="unseen">not certain</span>
            </span>
          `
        }${
          u.start_ms !== null &&
          html`
            <${Time} ms=${u.start_ms} onPlay=${onPlay} />
          `
        }
      </div>
      <p class="text" dir="auto"><${Words} utterance=${u} ...${words} /></p>
      ${
        unread &&
        html`
          <p class="reason"><span>not analysed</span></p>
        `
      }
      ${
        onQuote &&
        u.text &&
        html`
          <button
            class="small quiet quote-turn"
            aria-label=${`Quote this turn${u.speaker ? ` by ${u.speaker}` : ''}`}
            onClick=${onQuote}
          >
            Quote
          </button>
        `
      }
      ${
        onCorrect &&
        html`
          <button
            class="small quiet correct-turn"
            aria-label=${`Correct this turn${u.speaker ? ` by ${u.speaker}` : ''}`}
            onClick=${onCorrect}
          >
            Correct
          </button>
        `
      }
      ${corrected}
    </div>
  `;
}

// Time is when a turn begins. It is a button while there is a recording.
/** @param {{ ms: number, onPlay: false | ((ms: number) => void) }} props */
const Time = ({ ms, onPlay }) =>
  onPlay
    ? html`
        <button class="link time" aria-label=${`Play from ${clock(ms)}`} onClick=${() => onPlay(ms)}>
          ${clock(ms)}
        </button>
      `
    : html`
        <span class="time">${clock(ms)}</span>
      `;

/** @param {LocatedEvidence | MarkedWords} mark @returns {mark is LocatedEvidence} */
const isEvidence = (mark) => !('find' in mark);

// Words are those of a turn. The first piece of a quote has its label.
/**
 * @param {Pick<Parameters<typeof Turn>[0], 'utterance' | 'marks' | 'labels' | 'selected' | 'onMark'>} props
 */
function Words({ utterance, marks, labels, selected, onMark }) {
  const { hueOf, stanceOf, labelOf, themesOf } = labels;
  if (marks.length === 0) return utterance.text;
  /** @type {Set<string>} */
  const labelled = new Set();
  return piecesOf(utterance, marks).map((piece, i) => {
    if (piece.marks.length === 0) return piece.text;
    const of = piece.marks.filter(isEvidence);
    const top = of.find((m) => m.id === selected) ?? of.at(0);
    const ids = piece.marks.map((m) => m.id).join(' ');
    if (!top)
      return html`
        <mark key=${i} class="find" data-marks=${ids}>${piece.text}</mark>
      `;
    const begin = of.filter((m) => !labelled.has(m.id));
    begin.forEach((m) => labelled.add(m.id));
    const begun = begin.map(labelOf);
    return html`
      <mark
        key=${i}
        class=${classes(
          hueOf(top),
          hueOf(top) === 'hue-none' && themesOf(top).length > 0 && 'themed',
          stanceOf(top) ?? '',
          top.review,
          top.id === selected && 'selected',
          of.length > 1 && 'several',
          of.length < piece.marks.length && 'find',
        )}
        style=${{ '--theme': hueOf(top) === 'hue-none' ? themesOf(top).at(0)?.color : undefined }}
        data-marks=${ids}
        data-label=${begun.map((l) => l.short).join(' ')}
        data-meaning=${begun.map((l) => l.long).join(', ')}
        title=${of.map((m) => labelOf(m).long).join(', ')}
        onClick=${() => document.getSelection()?.isCollapsed && onMark(top)}
      >
        ${piece.text}
      </mark>
    `;
  });
}
