// The findings of a hypothesis as others see them: on the page, on paper, and by a link.
import { html, useId } from '../../page/html.js';
import {
  categories,
  date,
  headline,
  hypothesisStatus,
  importances,
  personStances,
  restOf,
} from '../../page/words.js';
import { stanceMarks } from '../shared/evidencewords.js';
import { Title } from '../../page/ui.js';
import { RestsOn } from '../shared/answer.js';
import { Mark } from '../shared/mark.js';
import { Saturation } from '../shared/saturation.js';
import { gapsOf, notesOn, peopleOf, proofOf, sourceOf } from './statements.js';

const FACES = 60;
const sides = { supports: 'For', contradicts: 'Against', neutral: 'Neutral' };

/** @typedef {(quote: FoundQuote) => Children} Actions what is shown below a quote */

/** @param {{ q: FoundQuote, actions?: Actions }} props */
function Quote({ q, actions }) {
  return html`
    <li>
      <figure>
        <blockquote dir="auto">${q.quote}</blockquote>
        <figcaption>
          ${sourceOf(q).map(
            (part, i) => html`
              <span key=${i} class=${i === 0 && q.speaker ? 'who' : ''} dir="auto">${part}</span>
            `,
          )}
          ${notesOn(q).map(
            ({ short, long }) => html`
              <span key=${short} title=${long}>${short}</span>
            `,
          )}
        </figcaption>
        ${actions?.(q)}
      </figure>
    </li>
  `;
}

// Heading is a heading of this level, from 1 to 6.
/** @param {{ level: number, id?: string, children: Children }} props */
const Heading = ({ level, id, children }) => html`
  <${`h${level}`} id=${id} dir="auto">${children}<//>
`;

/**
 * @param {object} props
 * @param {Stance} props.stance
 * @param {FoundQuote[]} props.quotes
 * @param {Actions} [props.actions]
 * @param {string} [props.empty]
 * @param {number} props.level
 */
function Side({ stance, quotes, actions, empty, level }) {
  const id = useId();
  return html`
    <section class=${'side-of ' + stance} aria-labelledby=${level === 2 ? id : undefined}>
      <${Heading} level=${level} id=${id}>
        <span aria-hidden="true">${stanceMarks[stance]}</span>
        ${` ${sides[stance]}`}
      <//>
      ${
        quotes.length === 0
          ? html`
              <p class="faint">${empty}</p>
            `
          : html`
              <ul>
                ${quotes.map(
                  (q, i) => html`
                    <${Quote} key=${q.evidence_id ?? i} q=${q} actions=${actions} />
                  `,
                )}
              </ul>
            `
      }
    </section>
  `;
}

/** @type {PersonStance[]} */
const rank = ['supports', 'contradicts', 'mixed', 'neutral', 'silent', 'unmatched', 'unread'];

// inOrder sorts people by what they said, and then by name or number.
/** @param {Findings['people']} people */
const inOrder = (people) =>
  [...people].sort(
    (a, b) =>
      rank.indexOf(a.stance) - rank.indexOf(b.stance) ||
      a.label.localeCompare(b.label, undefined, { numeric: true }),
  );

// Report shows findings f. actions(quote) returns what is shown below a quote. level is that of the main
// heading. Only the parts of findings that are alone are landmarks.
/** @param {{ f: Findings, actions?: Actions, level?: number }} props */
export function Report({ f, actions, level = 1 }) {
  const id = useId();
  const of = (/** @type {Stance} */ stance) => f.quotes.filter((q) => q.stance === stance);
  return html`
    <article class="findings" aria-label=${level === 1 ? 'Findings' : f.statement}>
      <header>
        <p class="meta">
          <span>${categories[f.category]}</span>
          <span class=${'importance ' + f.importance}>${importances[f.importance]} importance</span>
        </p>
        ${
          level === 1
            ? html`
                <${Title} text=${f.statement}>${f.statement}<//>
              `
            : html`
                <${Heading} level=${level}>${f.statement}<//>
              `
        }
        ${
          f.falsified_if &&
          html`
            <p class="wrong-if" dir="auto">
              Wrong if${' '}
              <b>${f.falsified_if}</b>
            </p>
          `
        }
      </header>
      <${Conclusion} f=${f} label=${level === 1 ? 'Answer' : undefined} />
      <${Saturation} steps=${f.course} />
      ${
        f.quotes.length === 0
          ? html`
              <p class="faint">No quotes were chosen.</p>
            `
          : html`
              <div class="sides">
                <${Side}
                  stance="supports"
                  quotes=${of('supports')}
                  actions=${actions}
                  level=${level + 1}
                  empty="No supporting quote was chosen."
                />
                <${Side}
                  stance="contradicts"
                  quotes=${of('contradicts')}
                  actions=${actions}
                  level=${level + 1}
                  empty="No contradicting quote was chosen."
                />
              </div>
            `
      }
      ${
        of('neutral').length > 0 &&
        html`
          <${Side} stance="neutral" quotes=${of('neutral')} actions=${actions} level=${level + 1} />
        `
      }
      <section class="missing" aria-labelledby=${level === 1 ? id : undefined}>
        <${Heading} level=${level + 1} id=${id}>What this rests on<//>
        <ul>
          ${gapsOf(f).map(
            (text) => html`
              <li key=${text} dir="auto">${text}</li>
            `,
          )}
        </ul>
      </section>
      <footer class="faint">${proofOf(f.quotes)} As of ${date(f.as_of)}.</footer>
    </article>
  `;
}

// Conclusion is who supports and contradicts a hypothesis, and the verdict.
/** @param {{ f: Findings, label?: string }} props */
function Conclusion({ f, label }) {
  const people = { ...peopleOf(f.people), others: f.others };
  return html`
    <section class="conclusion" aria-label=${label}>
      <div class="people">
        <p class="headline">
          ${headline(people).map(
            ({ text, stance }, i) => html`
              ${i > 0 && ', '}
              <span key=${stance} class=${stance}>${text}</span>
            `,
          )}
        </p>
        <p class="score">
          ${restOf(people).map(
            (text) => html`
              <span key=${text}>${text}</span>
            `,
          )}
        </p>
        <${RestsOn} of=${f.evidence} />
        <ul class="faces">
          ${inOrder(f.people)
            .slice(0, FACES)
            .map(
              (p, i) => html`
                <li key=${i} title=${`${p.label}: ${personStances[p.stance]}`}>
                  <${Mark} stance=${p.stance} />
                  <span dir="auto">${p.label}</span>
                  <span class="unseen">${`: ${personStances[p.stance]}`}</span>
                </li>
              `,
            )}
          ${
            f.people.length > FACES &&
            html`
              <li class="rest">and ${f.people.length - FACES} more</li>
            `
          }
        </ul>
      </div>
      <div class=${'outcome ' + f.status}>
        <p class="faint">Verdict</p>
        <p class="word">${hypothesisStatus[f.status]}</p>
        ${
          f.decision_reason &&
          html`
            <p class="because" dir="auto">${f.decision_reason}</p>
          `
        }
        ${
          f.decided_at &&
          html`
            <p class="faint">${date(f.decided_at)}</p>
          `
        }
      </div>
    </section>
  `;
}
