// Confirming who says a quote.
import { update } from '../../client/api.js';
import { problem, say } from '../../page/messages.js';

// confirmSpeaker confirms the speaker of a quote, and then runs onDone.
/** @param {EvidenceRow} e @param {() => void} onDone */
export const confirmSpeaker = (e, onDone) =>
  update('evidence', { id: `eq.${e.id}` }, { speaker_confirmed: true }, 'id').then(() => {
    onDone();
    say('The speaker is confirmed.');
  }, problem);
