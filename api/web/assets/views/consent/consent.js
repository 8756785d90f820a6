// The question whether an app gets access to the user's account.
import { html, useState } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { go } from '../../page/router.js';
import { account, refresh, session, signOut } from '../../client/session.js';
import { shownName } from '../../client/user.js';
import { asError, codeOf, sentence, statusOf } from '../../client/http.js';
import { useLoad } from '../../page/load.js';
import { Problem, Title, Waiting } from '../../page/ui.js';
import { Prove } from '../account/prove.js';
import { Door } from '../frame/door.js';
import { destination, leadsTo } from '../shared/destination.js';
import { mayOf } from '../shared/scopes.js';
import { Asker } from './asker.js';
import { Leaving } from './leaving.js';
import { useSteady } from './steady.js';

/** @typedef {'approve' | 'deny'} Answer */
/** @typedef {{ url: string, answer: Answer }} Answered */

const identifier = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @param {{ query: URLSearchParams }} props */
export function Consent({ query }) {
  const id = query.get('authorization_id') ?? '';
  const { user } = useStore(session);
  return html`
    <${Door}>
      ${
        identifier.test(id)
          ? html`
              <${Request} key=${`${id} ${user?.id}`} id=${id} user=${user} />
            `
          : html`
              <${Lost} why="Its address is not complete." />
            `
      }
    <//>
    <${Prove} />
  `;
}

// Lost says that a request cannot be answered, and what to do.
/** @param {{ why: string }} props */
const Lost = ({ why }) => html`
  <${Title} key="lost">This request cannot be answered<//>
  <p dir="auto">${why}</p>
  <p>To connect the app, begin again there. A request can be answered for 10 minutes, and once.</p>
  <p><a href="/">Go to your projects</a></p>
`;

// What the server's refusals mean here.
const refusals = new Map([
  ['oauth_authorization_not_found', 'It has expired, or another account has opened it.'],
  ['validation_failed', 'It was answered already.'],
]);
/** @param {unknown} error */
const whyOf = (error) => refusals.get(codeOf(error)) ?? sentence(error);

// isLost reports whether another attempt to answer cannot help.
/** @param {unknown} error */
const isLost = (error) => refusals.has(codeOf(error));

// isRefused reports the same of an error that came instead of a request.
/** @param {unknown} error */
const isRefused = (error) => [400, 403, 404, 410].includes(statusOf(error));

// renewed repeats a request with a new session if it needs one. If the session has ended or lacks a second
// factor, the page asks for that, and comes back here.
/** @template T @param {() => Promise<T>} attempt */
async function renewed(attempt) {
  try {
    return await attempt();
  } catch (error) {
    const needsSession = statusOf(error) === 401 || codeOf(error) === 'session_not_found';
    if (!needsSession && codeOf(error) !== 'insufficient_aal') throw error;
    await refresh();
    return attempt();
  }
}

/** @param {{ id: string, user: User }} props */
function Request({ id, user }) {
  /** @type {Loaded<OAuthRequest | OAuthRedirect>} */
  const loaded = useLoad((signal) => renewed(() => account(`/oauth/authorizations/${id}`, { signal })), []);
  const [answered, setAnswered] = useState(/** @type {Answered | null} */ (null));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const { data: request } = loaded;
  /** @param {Answer} action */
  async function answer(action) {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const path = `/oauth/authorizations/${id}/consent`;
      const json = { action };
      const { redirect_url: url } = await renewed(() => account(path, { method: 'POST', json }));
      setAnswered({ url, answer: action });
    } catch (failed) {
      setError(asError(failed));
    }
    setBusy(false);
  }
  if (isRefused(loaded.error) || isLost(error)) return Lost({ why: whyOf(loaded.error ?? error) });
  if (!request)
    return html`
      <${Waiting} for=${loaded} />
    `;
  if ('redirect_url' in request) return goTo(request.redirect_url, 'before', destination);
  if (answered) {
    return goTo(answered.url, answered.answer, (url) =>
      leadsTo(url, request.redirect_uri) ? destination(url) : null,
    );
  }
  return html`
    <${Question} ...${{ request, user, busy, error, answer }} />
  `;
}

// goTo goes to an address if check returns where it leads.
/** @param {string} url @param {Answer | 'before'} answer @param {typeof destination} check */
function goTo(url, answer, check) {
  const to = check(url);
  if (!to) return Lost({ why: 'The app wants the answer at an address that this page does not open.' });
  return html`
    <${Leaving} url=${url} to=${to} answer=${answer} />
  `;
}

// leave signs out, and leaves the request behind: it belongs to the user who has opened it.
async function leave() {
  await signOut();
  go('/', { replace: true });
}

/**
 * @param {object} props
 * @param {OAuthRequest} props.request
 * @param {User} props.user
 * @param {boolean} props.busy
 * @param {Error | null} props.error
 * @param {(action: Answer) => void} props.answer
 */
function Question({ request, user, busy, error, answer }) {
  const steady = useSteady();
  const to = destination(request.redirect_uri);
  if (!to) return Lost({ why: 'The app wants the answer at an address that this page does not open.' });
  return html`
    <div class="consent">
      <${Title} key="question">Give this app access?<//>
      <${Asker} client=${request.client} to=${to} />
      <dl class="pairs">
        <dt>It may</dt>
        <dd>
          <ul>
            ${mayOf(request.scope.split(' ').filter(Boolean)).map(
              (may) => html`
                <li key=${may}>${may}</li>
              `,
            )}
          </ul>
        </dd>
        <dt>Signed in as</dt>
        <dd>
          <bdi>${shownName(user)}</bdi>
          .${' '}Not you?${' '}
          <button class="link" onClick=${leave}>Sign out</button>
          , then connect again in the app.
        </dd>
        <dt>You can end this</dt>
        <dd>in Settings, under Connected apps</dd>
      </dl>
      ${
        error &&
        html`
          <${Problem} error=${error} />
        `
      }
      <div class="actions">
        <button disabled=${busy} onClick=${() => answer('deny')}>Deny</button>
        <button
          class="primary"
          disabled=${busy}
          aria-disabled=${steady ? undefined : 'true'}
          onClick=${() => steady && answer('approve')}
        >
          Allow
        </button>
      </div>
      <p class="hint">
        Only allow what you have just begun yourself. The app gets what it reads: what it does with that is
        not up to this server. This request expires after 10 minutes.
      </p>
    </div>
  `;
}
