// A chart of the evidence over time: for each day of interviews a bar up (for) and a bar down (against), and
// a line for the balance so far.
import { html } from '../../page/html.js';
import { count, date } from '../../page/words.js';

const WIDTH = 240;
const HEIGHT = 48;

const WIDEST = 22; // the maximum width of a bar

/** @param {Step & { net: number }} p */
const explain = (p) =>
  `${p.title}, ${date(p.at)}: ${p.supports} for, ${p.contradicts} against. ` +
  `Balance so far: ${p.net > 0 ? '+' : ''}${p.net}.`;

const BARS = 40; // the maximum number of bars; if there are more days, several share a bar

// total adds up steps of one bar.
/** @param {Step[]} group @returns {Step} */
function total(group) {
  /** @param {'supports' | 'contradicts'} of */
  const sum = (of) => group.reduce((n, step) => n + step[of], 0);
  return {
    at: group[group.length - 1].at,
    known: group.every((step) => step.known),
    title: group.length === 1 ? group[0].title : count(group.length, 'interview'),
    supports: sum('supports'),
    contradicts: sum('contradicts'),
  };
}

// barsOf returns at most BARS groups of steps, and never two of the same day.
/** @param {Step[]} steps */
function barsOf(steps) {
  /** @type {Map<string, Step[]>} */
  const days = new Map();
  for (const step of steps) days.set(step.at, [...(days.get(step.at) ?? []), step]);
  const all = [...days.values()];
  const size = Math.ceil(all.length / BARS);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
    all.slice(i * size, (i + 1) * size).flat(),
  );
}

// datesOf says which days the chart shows.
/** @param {Step[]} steps */
const datesOf = (steps) =>
  steps.every((step) => step.known)
    ? 'by day of interview'
    : steps.some((step) => step.known)
      ? 'by day of interview or upload'
      : 'by day of upload';

// Plot takes one step per interview, in chronological order. It shows nothing if all are of the same day.
/** @param {{ steps: Step[] }} props */
export function Plot({ steps }) {
  if (steps.length === 0 || steps[0].at === steps[steps.length - 1].at) return null;
  let net = 0;
  const points = barsOf(steps)
    .map(total)
    .map((step) => ({ ...step, net: (net += step.supports - step.contradicts) }));
  const most = Math.max(1, ...points.map((p) => Math.max(p.supports, p.contradicts, Math.abs(p.net))));
  const middle = HEIGHT / 2;
  const width = WIDTH / points.length;
  const bar = Math.min(WIDEST, width * 0.6);
  /** @param {number} n */
  const up = (n) => (n / most) * (middle - 2);
  const line = points
    .map((p, i) => `${i ? 'L' : 'M'}${i * width} ${middle - up(p.net)} H${(i + 1) * width}`)
    .join(' ');
  /** @param {'supports' | 'contradicts'} of */
  const sum = (of) => steps.reduce((n, step) => n + step[of], 0);
  const last = steps[steps.length - 1];
  const said =
    `Balance over ${count(steps.length, 'interview')}, ${date(steps[0].at)} to ${date(last.at)}: ` +
    `${sum('supports')} for, ${sum('contradicts')} against, ${datesOf(steps)}.`;
  return html`
    <figure class="plot">
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${said} preserveAspectRatio="none">
        <line class="axis" x1="0" x2=${WIDTH} y1=${middle} y2=${middle} />
        ${points.map(
          (p, i) => html`
            <g key=${i}>
              <rect
                class="for"
                x=${(i + 0.5) * width - bar / 2}
                y=${middle - up(p.supports)}
                width=${bar}
                height=${up(p.supports)}
              />
              <rect
                class="against"
                x=${(i + 0.5) * width - bar / 2}
                y=${middle}
                width=${bar}
                height=${up(p.contradicts)}
              />
            </g>
          `,
        )}
        <path class="net" d=${line} />
        ${points.map(
          (p, i) => html`
            <rect key=${i} class="hit" x=${i * width} y="0" width=${width} height=${HEIGHT}>
              <title>${explain(p)}</title>
            </rect>
          `,
        )}
      </svg>
      <figcaption aria-hidden="true">
        <span>${date(steps[0].at)}</span>
        <span>${date(last.at)}</span>
        <span class="legend">
          <span>
            <span class="key for"></span>
            for
          </span>
          <span>
            <span class="key against"></span>
            against
          </span>
          <span>
            <span class="key net"></span>
            balance, ${datesOf(steps)}
          </span>
        </span>
      </figcaption>
    </figure>
  `;
}
