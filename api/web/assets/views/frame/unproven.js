// What a user whose address is not proven has to know, with a button for another link.
import { html, useEffect, useState } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { reloadUser, requestProof, session } from '../../client/session.js';
import { isUnproven } from '../../client/user.js';
import { problem } from '../../page/messages.js';

/** @param {{ children: any }} props children say what waits for the proof */
export function Unproven({ children }) {
  const { user } = useStore(session);
  const [sent, setSent] = useState(false);
  const unproven = isUnproven(user);
  useEffect(() => {
    if (!unproven) return;
    const look = () => document.visibilityState === 'visible' && reloadUser().catch(() => {});
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [unproven]);
  if (!user || !unproven) return null;
  async function send() {
    setSent(true);
    try {
      await requestProof(user?.email ?? '');
    } catch (error) {
      setSent(false);
      problem(error);
    }
  }
  return html`
    <section class="invitation card" aria-label="Your address is not confirmed">
      <p>
        ${children} Open the link in the e-mail that we sent to${' '}
        <b dir="auto">${user.email}</b>
        ${' '}to confirm your address.
      </p>
      <div class="actions">
        <button onClick=${send} disabled=${sent}>${sent ? 'Sent' : 'Send the link again'}</button>
      </div>
    </section>
  `;
}
