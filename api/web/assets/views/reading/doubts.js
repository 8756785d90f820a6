// The turns whose speakers are least certain, each with the two who may say it.
import { html } from '../../page/html.js';
import { clock } from '../shared/interviewwords.js';
import { settled } from './decisions.js';

const SHOWN = 6;

/** @param {string} speaker */
const named = (speaker) => speaker || 'nobody who is named';

// Doubts lists doubtful turns. An answer to one holds for all turns like it.
/**
 * @param {object} props
 * @param {DoubtfulTurn[]} props.doubts
 * @param {Decision} props.decided
 * @param {import('./decisions.js').Inventory} props.inventory
 * @param {(decided: Decision) => void} props.onDecide
 */
export function Doubts({ doubts, decided, inventory, onDecide }) {
  if (doubts.length === 0) return null;
  const least = [...doubts].sort((a, b) => a.confidence - b.confidence).slice(0, SHOWN);
  return html`
    <section class="doubts" aria-label="The least certain turns">
      <h4>The least certain turns</h4>
      <p class="faint">
        <kbd>1</kbd>
        ${' '}or${' '}
        <kbd>2</kbd>
        ${' '}says who speaks, in all turns like it.
      </p>
      <ol>
        ${least.map((turn) => {
          /** @param {string} speaker */
          const decision = (speaker) => settled(decided, inventory, turn, speaker);
          /** @param {string} speaker */
          const say = (speaker) => {
            const next = decision(speaker);
            if (next) onDecide(next);
          };
          return html`
            <${Doubt} key=${turn.ordinal} turn=${turn} onSay=${decision(turn.speaker) ? say : null} />
          `;
        })}
      </ol>
    </section>
  `;
}

/** @param {{ turn: DoubtfulTurn, onSay: ((speaker: string) => void) | null }} props */
function Doubt({ turn, onSay }) {
  const { speaker, other, startMs, text } = turn;
  const both = [speaker, other];
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    const which = event.key === '1' ? 0 : event.key === '2' ? 1 : -1;
    if (which < 0 || !onSay || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onSay(both[which]);
  };
  return html`
    <li>
      <div
        role="group"
        tabindex="0"
        data-question=${onSay ? 'open' : 'answered'}
        aria-label=${`${named(speaker)}, or ${named(other)}? ${text}`}
        aria-keyshortcuts=${onSay ? '1 2' : undefined}
        onKeyDown=${onKeyDown}
      >
        <p class="text" dir="auto">
          ${
            startMs !== null &&
            html`
              <span class="time">${clock(startMs)}</span>
              ${' '}
            `
          }
          ${text}
        </p>
        <p class="who">
          <span dir="auto">${named(speaker)}, or ${named(other)}?</span>
          ${
            onSay &&
            both.map(
              (one, i) => html`
                <button key=${i} class="small" onClick=${() => onSay(one)}>
                  <kbd aria-hidden="true">${i + 1}</kbd>
                  <span dir="auto">${named(one)}</span>
                </button>
              `,
            )
          }
        </p>
      </div>
    </li>
  `;
}
