// Who else has the evidence of a project open.
import { html, useEffect, useState } from '../../page/html.js';
import { rpc } from '../../client/api.js';
import { usePoll } from '../../page/load.js';
import { names } from '../../page/words.js';

const AGAIN_MS = 20_000; // the server forgets who has not said so for 45 seconds

// Present says which other members have the evidence or the review of a project open, and tells the server
// that the user is here.
/** @param {{ projectId: string, place: 'evidence' | 'review' }} props */
export function Presence({ projectId, place }) {
  const [others, setOthers] = useState(/** @type {Present[]} */ ([]));
  const lost = usePoll(
    async (signal) => setOthers(await rpc('who_is_here', { project: projectId, viewing: place }, { signal })),
    () => AGAIN_MS,
    [projectId, place],
  );
  useEffect(
    () => () => {
      rpc('who_is_here', { project: projectId }).catch(() => {}); // else it is forgotten soon
    },
    [projectId],
  );
  const here = lost ? [] : others;
  return html`
    <p
      class="presence faint"
      role="status"
      dir="auto"
      title=${here.map((one) => `${nameOf(one)}: ${places[one.place]}`).join(', ')}
    >
      ${here.length > 0 && `Also here: ${names(here.map(nameOf), 2)}`}
    </p>
  `;
}

const places = { evidence: 'at the evidence', review: 'in review' };
/** @param {Present} one */
const nameOf = ({ display_name: name }) => name || 'Somebody without a name';
