// What further interviews added to a hypothesis: a chart of the people for it, against it and neither, with
// one step for each interview, and a sentence about the last ones.
import { html, useId, useState } from '../../page/html.js';
import { count, date, number } from '../../page/words.js';

const WIDTH = 240;
const HEIGHT = 60;
const LISTED = 200; // rows of the table

/** @typedef {'supporting' | 'contradicting' | 'mixed' | 'silent'} Line */
/** @type {{ of: Line, kind: string, mark: string, text: string, always: boolean }[]} */
const lines = [
  { of: 'supporting', kind: 'for', mark: '▲', text: 'for', always: true },
  { of: 'contradicting', kind: 'against', mark: '▼', text: 'against', always: true },
  { of: 'mixed', kind: 'mixed', mark: '◆', text: 'mixed', always: false },
  { of: 'silent', kind: 'neither', mark: '–', text: 'neither', always: true },
];

// stillOf returns how many of the last interviews changed nothing.
/** @param {CourseStep[]} steps */
const stillOf = (steps) => steps.length - 1 - steps.findLastIndex((step) => step.changed);

/** @param {CourseStep} step */
const byKeywords = ({ coverage, model_coverage: model }) => coverage > 0 && model === 0;

/** @param {CourseStep} step */
const inPart = ({ coverage, model_coverage: model }) => coverage > 0 && model < 1;

// saturationText says what the last interviews changed for a hypothesis; '' if there were none. Of those that
// no model has read as a whole, it says less.
/** @param {CourseStep[]} steps in their order */
export function saturationText(steps) {
  const all = steps.length;
  const still = stillOf(steps);
  if (all === 0) return '';
  const read = all === 1 ? 'interview read' : `${number(all)} interviews read`;
  if (still > 0) return stillText(steps.slice(-still), `the ${read} for this hypothesis`, all);
  if (all === 1) return `The ${read} for this hypothesis changed something.`;
  const first = steps.every((step) => step.changed) ? 'Every one' : 'The last';
  return `${first} of the ${read} for this hypothesis changed something.`;
}

// stillText says of the last interviews, which changed nothing, what is known of them.
/** @param {CourseStep[]} last @param {string} those all of them @param {number} all */
function stillText(last, those, all) {
  const n = last.length;
  const part = n === all ? those : `the last ${n === 1 ? '' : `${number(n)} `}of ${those}`;
  const matched = last.filter(byKeywords).length;
  if (matched === n) return `Keyword matching found nothing new in ${part}.`;
  if (matched > 0)
    return (
      `Nothing new was found in ${part}; ${number(matched)} of them ` +
      `${matched === 1 ? 'was' : 'were'} only matched by keywords.`
    );
  if (last.some(inPart)) return `What was read of ${part} changed nothing.`;
  if (n === all && all > 1) return `None of ${those} changed anything.`;
  return `${part.charAt(0).toUpperCase()}${part.slice(1)} changed nothing.`;
}

// shownOf returns the lines of a chart: nobody is mixed in most of them.
/** @param {CourseStep[]} steps */
const shownOf = (steps) => lines.filter(({ of, always }) => always || steps.some((step) => step[of] > 0));

/** @param {CourseStep} step @param {typeof lines} shown */
const countsOf = (step, shown) => shown.map(({ of, text }) => `${number(step[of])} ${text}`).join(', ');

/** @param {CourseStep} step */
const nameOf = ({ title, interviewed_on: day }) => [title, date(day)].filter(Boolean).join(', ');

// Saturation is the sentence, the chart, and its numbers as a table; the children follow the sentence. hrefOf
// returns the address of an interview, for those who may read it.
/** @param {{ steps: CourseStep[], hrefOf?: (step: CourseStep) => string, children?: Children }} props */
export function Saturation({ steps, hrefOf, children }) {
  if (steps.length === 0 && !children) return null;
  return html`
    <div class="course">
      <div class="says">
        ${
          steps.length > 0 &&
          html`
            <p>${saturationText(steps)}</p>
          `
        }
        ${children}
        ${
          steps.length > 1 &&
          html`
            <${Numbers} steps=${steps} hrefOf=${hrefOf} />
          `
        }
      </div>
      ${
        steps.length > 1 &&
        html`
          <${Chart} steps=${steps} />
        `
      }
    </div>
  `;
}

// Chart has one step for each interview. Lines are told apart by their dashes and the sign that the legend
// gives them; those with equal numbers lie a little beside each other.
/** @param {{ steps: CourseStep[] }} props */
function Chart({ steps }) {
  const shown = shownOf(steps);
  const still = stillOf(steps);
  const last = steps[steps.length - 1];
  const most = Math.max(1, ...steps.flatMap((step) => shown.map(({ of }) => step[of])));
  const width = WIDTH / steps.length;
  const beside = 1.6;
  /** @param {number} n @param {number} i */
  const y = (n, i) => HEIGHT - 2 - i * beside - (n / most) * (HEIGHT - 4 - shown.length * beside);
  /** @param {Line} of @param {number} i */
  const path = (of, i) =>
    `M0 ${y(0, i)} ` + steps.map((step, at) => `V${y(step[of], i)} H${(at + 1) * width}`).join(' ');
  return html`
    <figure class="saturation">
      <svg
        viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label=${`People after ${count(steps.length, 'interview')}: ${countsOf(last, shown)}.`}
        preserveAspectRatio="none"
      >
        ${
          still > 0 &&
          html`
            <rect class="still" x=${WIDTH - still * width} y="0" width=${still * width} height=${HEIGHT} />
            <line class="since" x1=${WIDTH - still * width} x2=${WIDTH - still * width} y1="0" y2=${HEIGHT} />
          `
        }
        <line class="axis" x1="0" x2=${WIDTH} y1=${HEIGHT - 0.5} y2=${HEIGHT - 0.5} />
        ${shown.map(
          ({ of, kind }, i) => html`
            <path key=${kind} class=${kind} d=${path(of, i)} />
          `,
        )}
        ${
          steps.length <= LISTED &&
          steps.map(
            (step, at) => html`
              <rect key=${at} class="hit" x=${at * width} y="0" width=${width} height=${HEIGHT}>
                <title>
                  ${`${nameOf(step)}: ${countsOf(step, shown)}${step.changed ? '' : '; nothing new'}`}
                </title>
              </rect>
            `,
          )
        }
      </svg>
      <figcaption aria-hidden="true">
        ${shown.map(
          ({ of, kind, mark, text }) => html`
            <span key=${kind} class=${kind}>
              <svg class="key" viewBox="0 0 24 4"><path class=${kind} d="M0 2 H24" /></svg>
              ${`${mark} ${number(last[of])} ${text}`}
            </span>
          `,
        )}
        ${
          still > 0 &&
          html`
            <span>
              <i class="key still"></i>
              nothing new
            </span>
          `
        }
      </figcaption>
    </figure>
  `;
}

// Numbers is the table of a chart, when asked for: the latest interviews, in the order of the chart.
/** @param {{ steps: CourseStep[], hrefOf?: (step: CourseStep) => string }} props */
function Numbers({ steps, hrefOf }) {
  const [open, setOpen] = useState(false);
  const shown = shownOf(steps);
  const id = useId();
  const from = Math.max(0, steps.length - LISTED);
  return html`
    <details class="numbers" onToggle=${(/** @type {any} */ e) => setOpen(e.currentTarget.open)}>
      <summary>Interview by interview</summary>
      ${
        open &&
        html`
          <div class="scroll" role="region" aria-labelledby=${id} tabindex="0">
            <table>
              <caption id=${id}>
                ${`People so far, after each interview${from > 0 ? ` (the last ${LISTED})` : ''}`}
              </caption>
              <thead>
                <tr>
                  <th scope="col">Interview</th>
                  ${shown.map(
                    ({ kind, text }) => html`
                      <th key=${kind} scope="col">${text}</th>
                    `,
                  )}
                  <th scope="col">Changed</th>
                </tr>
              </thead>
              <tbody>
                ${steps.slice(from).map(
                  (step, i) => html`
                    <tr key=${i}>
                      <th scope="row" dir="auto">
                        ${
                          hrefOf
                            ? html`
                                <a href=${hrefOf(step)}>${nameOf(step)}</a>
                              `
                            : nameOf(step)
                        }
                      </th>
                      ${shown.map(
                        ({ of, kind }) => html`
                          <td key=${kind}>${number(step[of])}</td>
                        `,
                      )}
                      <td>${step.changed ? 'yes' : 'no'}</td>
                    </tr>
                  `,
                )}
              </tbody>
            </table>
          </div>
        `
      }
    </details>
  `;
}
