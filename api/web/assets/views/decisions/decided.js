// What the verdict on a hypothesis rested on when it was made, and what is known now.
import { html } from '../../page/html.js';
import { one } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { date } from '../../page/words.js';
import { restText } from './rest.js';

const columns =
  'participants,supporting,contradicting,mixed,neutral,silent,unmatched,supports,contradicts,neutrals,' +
  'interviews,coverage';

// Decided shows nothing for a hypothesis without a verdict. now is known once everything is loaded.
/**
 * @param {object} props
 * @param {Hypothesis} props.hypothesis
 * @param {Pick<Rest, 'supporting' | 'contradicting' | 'mixed' | 'interviews'> | undefined} props.now
 */
export function Decided({ hypothesis: h, now }) {
  const { data: last } = useLoad(
    async (signal) =>
      h.decided_at
        ? one(
            'hypothesis_decisions',
            {
              hypothesis_id: `eq.${h.id}`,
              status: `eq.${h.status}`,
              select: `id,status,reason,decided_at,decided_by,${columns},profiles(display_name)`,
              order: 'decided_at.desc,id',
            },
            { signal },
          )
        : null,
    [h.id, h.status, h.decided_at],
  );
  if (!last) return null;
  const [then, today] = [restText(last), now && restText(now)];
  return html`
    <p class="faint decided">
      Decided by${' '}
      <span dir="auto">${last.profiles?.display_name ?? 'somebody who has left'}</span>
      ${` on ${date(last.decided_at)}, on ${then}.`} ${today && today !== then && ` Now: ${today}.`}
    </p>
  `;
}
