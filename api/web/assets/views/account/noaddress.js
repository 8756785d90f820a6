// What a user whose provider gave no address has to know: it may be another account than the user's own.
import { html } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { session, settings } from '../../client/session.js';
import { providersOfUser } from '../../client/user.js';
import { useLoad } from '../../page/load.js';
import { providerName, providersOf } from '../../provider/offered.js';

export function NoAddress() {
  const { user } = useStore(session);
  const [provider] = user?.email ? [] : providersOfUser(user);
  const { data: name } = useLoad(
    async () => provider && providerName(providersOf(await settings()), provider),
    [provider],
  );
  if (!name) return null;
  return html`
    <section class="invitation card" aria-label="Your account has no e-mail address">
      <p>
        This account has no e-mail address. If you had an account here before, sign out, sign in to it as you
        used to, and connect${' '}
        <bdi>${name}</bdi>
        ${' '}in its settings.
      </p>
    </section>
  `;
}
