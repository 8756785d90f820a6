// An analysis under way: how far it is, and for how long it has been going on.
import { html, useEffect, useState } from '../../page/html.js';
import { Progress } from '../../page/ui.js';
import { clock, progress } from '../shared/interviewwords.js';

/** @param {{ row: Interview, cancelling: boolean }} props */
export function Ongoing({ row, cancelling }) {
  return html`
    <${Progress} done=${row.progress_done} total=${row.progress_total} label=${`Analysing ${row.title}`} />
    <span class="faint">
      ${progress(row, cancelling)}${' '}
      <${Elapsed} since=${row.started_at} />
    </span>
  `;
}

// Elapsed is the time since work began: an analysis, or an answer.
/** @param {{ since: string | null }} props */
export function Elapsed({ since }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  if (!since) return null;
  return html`
    <span class="elapsed" title="since it began">${clock(Math.max(0, now - Date.parse(since)))}</span>
  `;
}
