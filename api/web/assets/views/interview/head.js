// The parts of an interview around its transcript: its state, and its answers.
import { html, useState } from '../../page/html.js';
import { later } from '../../page/later.js';
import { date, dateTime, percent } from '../../page/words.js';
import { running, startable } from '../shared/interviewwords.js';
import { foreignHypotheses, readBy, readersOf, resultOf } from '../shared/readings.js';
import { Tag, Title } from '../../page/ui.js';
import { Ongoing } from './ongoing.js';
import { outcome } from './failure.js';
import { About, Discarded, readers, StatusTag } from './facts.js';

const DiscardedQuotes = later(async () => (await import('./discarded.js')).DiscardedQuotes);

// Head is what an interview is and how its analysis goes. Its menu is in children.
/**
 * @param {object} props
 * @param {Interview} props.row
 * @param {Answer[]} props.answers
 * @param {Overview | undefined} props.overview
 * @param {NameOf} props.nameOf
 * @param {boolean} props.lost
 * @param {string | null} props.workflowUrl
 * @param {boolean} props.canEdit
 * @param {boolean} props.mayAnalyse
 * @param {boolean} props.cancelling
 * @param {() => void} props.onStop
 * @param {() => void} props.onParse
 * @param {Children} props.children
 */
export function Head({
  row,
  answers,
  overview,
  nameOf,
  lost,
  workflowUrl,
  canEdit,
  mayAnalyse,
  cancelling,
  onStop,
  onParse,
  children,
}) {
  const [looking, setLooking] = useState(false);
  return html`
    <header class="about">
      ${
        looking &&
        html`
          <${DiscardedQuotes}
            row=${row}
            statement=${new Map(answers.map((a) => [a.hypothesis_id, a.statement]))}
            onClose=${() => setLooking(false)}
          />
        `
      }
      <div class="words">
        <${Title} text=${row.title}>${row.title}<//>
        <${About} row=${row} overview=${overview} nameOf=${nameOf} />
        ${
          row.status === 'parsed' &&
          html`
            <p class="meta">
              <span class=${row.coverage < 1 ? 'warn' : ''}>${readers(row, answers)}</span>
              <span>${dateTime(row.finished_at)}</span>
              <${Discarded} row=${row} onLook=${() => setLooking(true)} />
            </p>
          `
        }
        ${
          startable(row.status) &&
          row.status !== 'uploaded' &&
          html`
            <p class="wrong" role="alert" dir="auto">${outcome(row)}</p>
            ${
              answers.some((a) => a.coverage > 0) &&
              html`
                <p class="meta"><span>${standing(row, answers)}</span></p>
              `
            }
          `
        }
        ${
          lost &&
          html`
            <p class="lost" role="status">
              The connection is lost. A running analysis continues. This page is updated as soon as the server
              answers again.
            </p>
          `
        }
      </div>
      <div class="state">
        ${
          running(row.status)
            ? html`
                <div class="live">
                  <${Ongoing} row=${row} cancelling=${cancelling} />
                </div>
                ${
                  canEdit &&
                  html`
                    <button disabled=${cancelling} onClick=${onStop}>Cancel</button>
                  `
                }
              `
            : html`
                ${
                  row.status !== 'parsed' &&
                  html`
                    <${StatusTag} row=${row} />
                  `
                }
                ${
                  canEdit &&
                  startable(row.status) &&
                  html`
                    <button class="primary" onClick=${onParse}>
                      ${row.status === 'uploaded' ? 'Find evidence' : 'Try again'}
                    </button>
                  `
                }
                ${
                  mayAnalyse &&
                  row.status === 'parsed' &&
                  html`
                    <button onClick=${onParse}>Analyse</button>
                  `
                }
              `
        }
        ${
          workflowUrl &&
          html`
            <a class="operators" href=${workflowUrl} target="_blank" rel="noopener noreferrer">
              Workflow
              <span class="unseen">${' '}in Temporal UI (new tab)</span>
              ${' '}↗
            </a>
          `
        }
        ${children}
      </div>
    </header>
  `;
}

// standing says who read what stands of an interview whose last run failed, and when.
/** @param {Interview} row @param {Answer[]} answers */
function standing(row, answers) {
  const last = answers
    .filter((a) => a.coverage > 0)
    .map((a) => a.checked_at ?? '')
    .sort()
    .at(-1);
  return `What stands: ${readers(row, answers)}${last ? `, on ${date(last)}` : ''}.`;
}

// turns names the turns of a range that was not analysed, and why.
/** @param {UnreadRange} range */
function turns({ from, to, reason }) {
  return `turns ${from + 1}–${to + 1}${reason ? ` (${reason.replaceAll('_', ' ')})` : ''}`;
}

// Answers lists the result of each hypothesis. One of them can be chosen, to see its evidence alone.
/**
 * @param {object} props
 * @param {Answer[]} props.answers
 * @param {Interview} props.row
 * @param {Swatches['hues']} props.hues
 * @param {Swatches['numbers']} props.numbers
 * @param {string} props.only the id of a hypothesis, or ''
 * @param {(only: string) => void} props.setOnly
 */
export function Answers({ answers, row, hues, numbers, only, setOnly }) {
  if (answers.length === 0) return null;
  const most = readersOf(answers);
  const languages = foreignHypotheses(answers.map((a) => ({ ...a, language: row.language })));
  return html`
    <section class="answers">
      <h2>Answers</h2>
      <ul>
        ${answers.map(
          (a) => html`
            <li key=${a.hypothesis_id}>
              <button
                class=${'answer' + (only === a.hypothesis_id ? ' on' : '')}
                aria-pressed=${only === a.hypothesis_id}
                onClick=${() => setOnly(only === a.hypothesis_id ? '' : a.hypothesis_id)}
              >
                <span class=${'swatch ' + (hues.get(a.hypothesis_id) ?? 'hue-none')} aria-hidden="true">
                  ${numbers.get(a.hypothesis_id)}
                </span>
                <span class="statement">
                  <span dir="auto">${a.statement}</span>
                  ${
                    readBy(a.readings) !== most &&
                    html`
                      <span class="faint">${` ${readBy(a.readings)}`}</span>
                    `
                  }
                </span>
                <${Result} answer=${a} />
              </button>
            </li>
          `,
        )}
      </ul>
      ${
        languages &&
        html`
          <p class="warn">${languages}</p>
        `
      }
      ${
        row.unread.length > 0 &&
        html`
          <p class="warn">
            ${percent(1 - row.coverage)} was not analysed: ${row.unread.map(turns).join(', ')}.
          </p>
        `
      }
    </section>
  `;
}

/** @param {{ answer: Answer }} props */
function Result({ answer }) {
  const { kind, text, title } = resultOf(answer);
  return html`
    <${Tag} kind=${'result ' + kind} title=${title}>${text}<//>
  `;
}
