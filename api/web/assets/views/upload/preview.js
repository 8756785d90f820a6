// What was read of a file before it is imported: its warnings, its speakers and its first turns.
import { html } from '../../page/html.js';
import { WhoSpeaks } from '../reading/whospeaks.js';
import { change, decide, readAs } from './files.js';
import { clock } from '../shared/interviewwords.js';
import { count, percent } from '../../page/words.js';
import { Choice, Field } from '../../page/form.js';
import { asksIn, nameOf, people, proposes } from './voices.js';

/** @typedef {import('./files.js').Item} Item */

const TURNS = 5; // shown of the first ones

/** @type {Record<Layout, string>} */
const layoutNames = {
  labels: 'Names before the words',
  heads: 'Names with times, and the words after or below them',
  times: 'Times, and the words after them',
  hours: 'The times are times of day',
  paragraphs: 'Paragraphs without speakers',
};

// Preview shows what was read of a file, and lets the user choose its title, its layout, and who its speakers
// are. onEnd runs after the last question about them.
/** @param {{ item: Item, read: DryRun, onEnd: () => void }} props */
export function Preview({ item, read, onEnd }) {
  return html`
    <div class="look">
      ${
        read.warnings.length > 0 &&
        html`
          <ul class="warnings">
            ${read.warnings.map(
              (warning) => html`
                <li key=${warning} class="warn">${warning}</li>
              `,
            )}
          </ul>
        `
      }
      ${
        read.reading && item.inventory && !item.layout
          ? html`
              <${WhoSpeaks}
                reading=${read.reading}
                inventory=${item.inventory}
                decided=${item.decided}
                busy=${item.again}
                error=${item.lost}
                onRetry=${() => decide(item.id, { decided: item.decided })}
                onDecide=${(/** @type {Decision} */ decided) => decide(item.id, { decided })}
                onAsRead=${(/** @type {Decision} */ decided) => decide(item.id, { decided, looked: true })}
                onEnd=${onEnd}
              >
                <${Layouts} item=${item} />
              <//>
            `
          : html`
              <${Layouts} item=${item} />
            `
      }
      <${Speakers} item=${item} read=${read} />
      <ol class="first-turns" tabindex="0" aria-label="First turns">
        ${read.turns.slice(0, TURNS).map(
          (turn, i) => html`
            <li key=${i} dir="auto">
              ${
                turn.startMs !== null &&
                html`
                  <span class="time">${clock(turn.startMs)}</span>
                `
              }
              ${
                turn.speaker &&
                html`
                  <b>${nameOf(item, turn.speaker)}:</b>
                `
              }
              ${turn.text}
            </li>
          `,
        )}
      </ol>
      ${
        read.utterances > TURNS &&
        html`
          <p class="faint">and ${count(read.utterances - TURNS, 'more turn', 'more turns')}</p>
        `
      }
    </div>
  `;
}

// Layouts lets the user choose another layout than the one that was detected.
/** @param {{ item: Item }} props */
const Layouts = ({ item }) =>
  item.layouts.length > 0 &&
  html`
    <details class="layouts" open=${item.layout !== ''}>
      <summary>Read it in another way</summary>
      <${Choice}
        label="Layout"
        value=${item.layout}
        options=${{
          '': 'As detected',
          ...Object.fromEntries(
            item.layouts.map((l) => [l.layout, `${layoutNames[l.layout]} (${about(l)})`]),
          ),
        }}
        onChange=${(layout) => readAs(item.id, layout)}
      />
    </details>
  `;

/** @param {DryRun['layouts'][number]} layout */
const about = ({ utterances, speakers: { length } }) =>
  `${count(utterances, 'turn')}, ${length === 0 ? 'no speakers' : count(length, 'speaker')}`;

/** @param {{ item: Item, read: DryRun }} props */
function Speakers({ item, read }) {
  const shares = new Map(read.speakerShares.map((share) => [share.speaker, share]));
  if (read.speakers.length === 0)
    return html`
      <p class="faint">No speakers</p>
    `;
  return html`
    <fieldset class="voices">
      <legend>Speakers</legend>
      <p class="faint">
        Give two speakers the same name if they are one person. What interviewers say does not count as
        evidence.
      </p>
      <ul>
        ${people(item).map((labels) =>
          labels.map(
            (label, i) => html`
              <${Speaker}
                key=${label}
                ...${{ item, label, labels, first: i === 0, said: shares.get(label) }}
              />
            `,
          ),
        )}
      </ul>
    </fieldset>
  `;
}

/**
 * @param {object} props
 * @param {Item} props.item
 * @param {string} props.label
 * @param {string[]} props.labels those of the same person
 * @param {boolean} props.first
 * @param {{ share: number, utterances: number }} props.said
 */
function Speaker({ item, label, labels, first, said: { share, utterances } }) {
  const text = label || 'Without a name';
  /** @param {Partial<Item>} values */
  const set = (values) => change(item.id, values);
  return html`
    <li class=${first ? '' : 'merged'}>
      <${Field} label=${text}>
        ${(p) => html`
          <input
            ...${p}
            value=${item.names[label] ?? label}
            maxlength="100"
            dir="auto"
            onInput=${(e) => set({ names: { ...item.names, [label]: e.currentTarget.value } })}
          />
        `}
      <//>
      <span class="share">
        <span class="faint">${percent(share)} of the words, ${count(utterances, 'turn')}</span>
        <span class="part" aria-hidden="true"><i style=${{ width: `${share * 100}%` }}></i></span>
      </span>
      ${
        first
          ? nameOf(item, label) &&
            html`
              <label class="check">
                <input
                  type="checkbox"
                  checked=${asksIn(item, labels)}
                  onChange=${(e) =>
                    set({
                      asks: {
                        ...item.asks,
                        ...Object.fromEntries(labels.map((one) => [one, e.currentTarget.checked])),
                      },
                    })}
                />
                Interviewer
                ${
                  asksIn(item, labels) &&
                  labels.some((one) => proposes(/** @type {DryRun} */ (item.read), one)) &&
                  html`
                    <span class="faint">(asks the questions)</span>
                  `
                }
              </label>
            `
          : html`
              <span class="faint">same person</span>
            `
      }
    </li>
  `;
}
