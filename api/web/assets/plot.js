// The balance of evidence over time: what was said for piles up, what was said against piles down, one step an interview.
import { html } from './html.js';
import { count, date } from './words.js';

const WIDTH = 240;
const HEIGHT = 48;

// Plot takes [{at: ms, supports, contradicts, title}], one an interview, in order of time.
export function Plot({ steps }) {
  if (steps.length === 0) return null;
  let supports = 0;
  let contradicts = 0;
  const points = steps.map((step) => ({ ...step, supports: (supports += step.supports), contradicts: (contradicts += step.contradicts) }));
  const most = Math.max(1, supports, contradicts);
  const middle = HEIGHT / 2;
  const width = WIDTH / points.length;
  const y = (n) => (n / most) * (middle - 3);
  // area is a staircase from the middle line.
  const area = (value, sign) => {
    let d = `M0 ${middle}`;
    points.forEach((p, i) => {
      d += ` L${i * width} ${middle + sign * y(value(p))} L${(i + 1) * width} ${middle + sign * y(value(p))}`;
    });
    return d + ` L${WIDTH} ${middle} Z`;
  };
  const net = points.map((p, i) => `${i ? 'L' : 'M'}${(i + 0.5) * width} ${middle - y(p.supports) + y(p.contradicts)}`).join(' ');
  const said = `Balance over ${count(steps.length, 'interview')}, ${date(steps[0].at)} to ${date(steps.at(-1).at)}: ${supports} for, ${contradicts} against.`;
  return html`<figure class="plot">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${said} preserveAspectRatio="none">
      <path class="for" d=${area((p) => p.supports, -1)} /><path class="against" d=${area((p) => p.contradicts, 1)} />
      <line class="axis" x1="0" x2=${WIDTH} y1=${middle} y2=${middle} />
      ${points.length > 1 && html`<path class="net" d=${net} />`}
      ${points.map((p, i) => html`<rect key=${i} class="hit" x=${i * width} y="0" width=${width} height=${HEIGHT}><title>${`${p.title}, ${date(p.at)}: ${p.supports} for, ${p.contradicts} against until then`}</title></rect>`)}
    </svg>
    <figcaption aria-hidden="true"><span>${date(steps[0].at)}</span><span>${steps.length > 1 ? date(steps.at(-1).at) : ''}</span></figcaption>
  </figure>`;
}
