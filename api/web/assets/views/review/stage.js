// The quote that is reviewed, between the turns around it, with what can be said about it.
import { html, useState } from '../../page/html.js';
import { clock } from '../shared/interviewwords.js';
import {
  askedOf,
  capped,
  matches,
  placeLost,
  unconfirmed,
  reviews,
  stanceMarks,
  stanceVerbs,
} from '../shared/evidencewords.js';
import { Headline } from '../shared/answer.js';
import { History } from '../shared/history.js';
import { Newer } from '../shared/newer.js';
import { piecesOf } from '../transcript/bytes.js';
import { NotesButton, QuoteNotes } from '../comments/button.js';
import { ThemeButton, ThemeChips } from '../shared/themechips.js';

/** @typedef {Quote & { suggested: Stance }} Todo a quote, with its stance when the review began */

/**
 * @typedef {object} Choice
 * @property {string} key
 * @property {string} text
 * @property {string} kind
 * @property {{ review: ReviewState, stance?: Stance }} to
 */
/** @type {Choice[]} */
export const choices = [
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

/** @param {{ turn: import('./turns.js').Turn, row: Todo }} props */
function Turn({ turn, row }) {
  const mark = { byte_start: row.byte_start ?? 0, byte_end: row.byte_end ?? 0 };
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
                ? piecesOf(u, [mark]).map((piece) =>
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

/** @param {{ row: Todo, onUndo?: import('../shared/history.js').UndoTo }} props */
function Suggestion({ row, onUndo }) {
  const question = askedOf(row);
  const how = row.place_lost
    ? placeLost.short
    : row.match === 'manual'
      ? matches.manual.short
      : 'quote found word for word';
  return html`
    <div class="why">
      <p>
        ${
          row.origin !== 'human' &&
          html`
            <b>Suggested: ${stanceVerbs[row.suggested].toLowerCase()}.${' '}</b>
          `
        }
        <span dir="auto">${row.rationale || row.summary}</span>
        ${' '}
        ${
          !row.speaker_confirmed &&
          html`
            <span class="tag unconfirmed" title=${unconfirmed.long}>${unconfirmed.short}</span>
            ${' '}
          `
        }
        ${
          question &&
          html`
            <span class="tag asked" title=${capped(row) || question.long}>${question.short}</span>
            ${' '}
          `
        }
        <span class="source">
          ${[row.model, `${how}${row.start_ms === null ? '' : ` at ${clock(row.start_ms)}`}`]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </p>
      <${History} key=${row.id} row=${row} hypothesisId=${row.hypothesis_id} onUndo=${onUndo} />
    </div>
  `;
}

// Stage shows a quote. turns are those around it; verdicts are the buttons.
/**
 * @param {object} props
 * @param {Todo} props.row
 * @param {import('./turns.js').Turn[]} props.turns
 * @param {Hypothesis | undefined} props.hypothesis
 * @param {Quote[]} props.rows all quotes
 * @param {PeopleCounts | undefined} props.people
 * @param {boolean} props.canEdit
 * @param {import('../shared/history.js').UndoTo} [props.onUndo] takes back what the history shows
 * @param {(values: Partial<Quote>) => void} props.onShow shows its themes and notes
 * @param {Children} props.children
 */
export function Stage({ row, turns, hypothesis, rows, people, canEdit, onUndo, onShow, children }) {
  return html`
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
        <${Coded} ...${{ row, canEdit, onShow }} />
        <${Suggestion} row=${row} onUndo=${onUndo} />
        <p class="newer" role="status">
          ${
            row.newer &&
            html`
              <${Newer} of=${row} />
            `
          }
        </p>
        ${children}
      </section>
      <${Beside} row=${row} rows=${rows} people=${people} />
    </div>
  `;
}

// Coded is the themes of the quote, and what is written about it.
/** @param {{ row: Todo, canEdit: boolean, onShow: (values: Partial<Quote>) => void }} props */
function Coded({ row, canEdit, onShow }) {
  const [noting, setNoting] = useState(false);
  const onThemes = (/** @type {QuoteTheme[]} */ links) => onShow({ evidence_themes: links });
  return html`
    <div class="coded">
      <${ThemeChips} e=${row} canEdit=${canEdit} onThemes=${onThemes} />
      ${
        canEdit &&
        html`
          <${ThemeButton} e=${row} onThemes=${onThemes} />
        `
      }
      <${NotesButton} e=${row} onOpen=${() => setNoting(true)} />
      ${
        noting &&
        html`
          <${QuoteNotes}
            e=${row}
            onNoted=${(/** @type {Noted} */ { memo, comments }) =>
              onShow({ memo, comments: [{ count: comments }] })}
            onClose=${() => setNoting(false)}
          />
        `
      }
    </div>
  `;
}

// Beside shows other quotes of the speaker, and the answer so far.
/** @param {{ row: Todo, rows: Quote[], people: PeopleCounts | undefined }} props */
function Beside({ row, rows, people }) {
  const others = rows.filter(
    (one) => one.speaker === row.speaker && one.hypothesis_id === row.hypothesis_id && one.id !== row.id,
  );
  return html`
    <aside class="beside" aria-label="Context">
      ${
        others.length > 0 &&
        html`
          <h2>Also from ${row.speaker || 'this speaker'}</h2>
          <ul>
            ${others.slice(0, 6).map(
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
        people &&
        html`
          <h2>This hypothesis</h2>
          <p class="headline"><${Headline} of=${people} /></p>
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
  `;
}
