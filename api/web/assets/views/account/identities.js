// How the user signs in: by e-mail, and with accounts of providers. They are connected and disconnected here.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { account, reloadUser, settings } from '../../client/session.js';
import { providersOfUser, signsInByMail } from '../../client/user.js';
import { connected } from '../../provider/flow.js';
import { providersOf } from '../../provider/offered.js';
import { useLoad } from '../../page/load.js';
import { toast } from '../../page/messages.js';
import { isolated } from '../../page/words.js';
import { Waiting } from '../../page/ui.js';
import { Connect } from './connect.js';
import { Disconnect, Last, Way } from './way.js';
import { byMail, waysOf } from './ways.js';
import { unlessGone } from '../shared/gone.js';

async function load() {
  const [user, allowed] = await Promise.all([account('/user'), settings()]);
  return { identities: /** @type {Identity[]} */ (user.identities ?? []), providers: providersOf(allowed) };
}

// useWays loads the identities of a user, and again when there is a password or none any more. What is shown
// stays meanwhile.
/** @param {User} user */
function useWays(user) {
  const loaded = useLoad(load, [user.id]);
  const has = signsInByMail(user);
  const had = useRef(has);
  useEffect(() => {
    if (had.current !== has) loaded.reload();
    had.current = has;
  }, [has]);
  return loaded;
}

// useHeading returns the heading of the card, and focus(), which has the next rendering focus it. Where the
// page comes back from connecting an account, the card is scrolled to once it is displayed.
/** @param {boolean} shown */
function useHeading(shown) {
  /** @type {Ref<HTMLHeadingElement>} */
  const heading = useRef();
  const wanted = useRef(false);
  useLayoutEffect(() => {
    if (wanted.current) heading.current?.focus();
    wanted.current = false;
  });
  useEffect(() => {
    if (!shown || !connected.get()) return undefined;
    const observer = new ResizeObserver(() => {
      if (heading.current.getClientRects().length === 0) return; // what is above is still loading
      observer.disconnect();
      connected.set(false);
      heading.current.scrollIntoView();
      heading.current.focus({ preventScroll: true });
    });
    observer.observe(heading.current);
    return () => observer.disconnect();
  }, [shown]);
  return { heading, focus: () => (wanted.current = true) };
}

/** @param {{ user: User, onEnded: () => void }} props */
export function Identities({ user, onEnded }) {
  const loaded = useWays(user);
  const { data, error, set } = loaded;
  const [removed, setRemoved] = useState(''); // the id of the identity that is about to be
  const ways = waysOf(data?.identities ?? [], data?.providers ?? []);
  const removing = ways.find(({ identity }) => identity.identity_id === removed);
  const shown = !!data && (data.providers.length > 0 || !data.identities.every(byMail));
  const { heading, focus } = useHeading(shown);
  if (!data && (error || providersOfUser(user).length > 0))
    return html`
      <${Waiting} for=${loaded} />
    `;
  if (!data)
    return html`
      <div class="loading"></div>
    `; // which may be for nothing
  if (!shown) return null;
  async function remove() {
    const { identity, name } = /** @type {import('./ways.js').SignInWay} */ (removing);
    await unlessGone(account(`/user/identities/${identity.identity_id}`, { method: 'DELETE' }));
    set((all) => ({ ...all, identities: all.identities.filter((i) => i !== identity) }));
    setRemoved('');
    focus();
    toast(byMail(identity) ? 'Password removed.' : `${isolated(name)} is disconnected.`);
    onEnded();
    reloadUser().catch(() => {});
  }
  const working = ways.filter((way) => way.works);
  return html`
    <section class="card" aria-labelledby="identities">
      <h2 id="identities" tabindex="-1" ref=${heading}>Ways to sign in</h2>
      <ul class="members">
        ${ways.map(
          (way) => html`
            <${Way}
              key=${way.identity.identity_id}
              way=${way}
              onRemove=${working.some((other) => other !== way) && setRemoved}
            />
          `,
        )}
      </ul>
      <${Last} ways=${working} hasAddress=${!!user.email} />
      <${Connect} user=${user} identities=${data.identities} providers=${data.providers} />
      ${
        removing &&
        html`
          <${Disconnect}
            way=${removing}
            rest=${working.filter((way) => way !== removing)}
            send=${remove}
            onClose=${() => setRemoved('')}
          />
        `
      }
    </section>
  `;
}
