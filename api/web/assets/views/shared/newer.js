// What somebody else said of a quote while the user has it before them.
import { html, useEffect, useState } from '../../page/html.js';
import { dateTime } from '../../page/words.js';
import { stanceVerbs } from './evidencewords.js';

const REFRESH_MS = 5000;
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

// ago says how long ago a time was. The clock of the browser may be behind that of the server.
/** @param {string} iso @param {number} now in ms */
function ago(iso, now) {
  const s = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (s < MINUTE_S) return 'just now';
  if (s < HOUR_S) return `${Math.floor(s / MINUTE_S)} min ago`;
  if (s < DAY_S) return `${Math.floor(s / HOUR_S)} h ago`;
  return `on ${dateTime(iso)}`;
}

// Ago shows how long ago a time was, as time goes by.
/** @param {{ at: string }} props */
function Ago({ at }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return html`
    <time datetime=${at} title=${dateTime(at)}>${ago(at, now)}</time>
  `;
}

/** @param {{ review: ReviewState, stance?: Stance, newer?: NewerJudgement }} of */
function deed({ review, stance, newer }) {
  if (newer?.stance && stance) return `changed this to “${stanceVerbs[stance].toLowerCase()}”`;
  if (review === 'suggested') return 'put this back to be reviewed';
  if (review === 'rejected') return 'rejected this';
  return stance ? `accepted this as “${stanceVerbs[stance].toLowerCase()}”` : 'accepted this';
}

// Newer says what somebody else said of a quote, and when.
/** @param {{ of: { review: ReviewState, stance?: Stance, newer?: NewerJudgement } }} props */
export const Newer = ({ of }) => html`
  <b dir="auto">${of.newer?.by || 'Somebody else'}</b>
  ${` ${deed(of)}${of.newer?.at ? ' ' : ''}`}
  ${
    of.newer?.at &&
    html`
      <${Ago} at=${of.newer.at} />
    `
  }.
`;
