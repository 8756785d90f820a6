// The buttons that sign in with the account of a provider.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { offered, tidy } from '../../provider/flow.js';
import { goSignIn, providersOf } from '../../provider/offered.js';
import { keptHere } from '../../page/drafts.js';
import { problem } from '../../page/messages.js';
import { isolated } from '../../page/words.js';

// either lists alternatives.
export const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });

// A button works again after this time, for a browser that stays: where a file waits for its upload, it asks.
const LEAVING_MS = 4000;

// useLeaving returns whether the page is being left, and leave(act), which leaves it by act() once at a time.
// It ends when the browser shows the page again, as it was.
export function useLeaving() {
  const [leaving, setLeaving] = useState(false);
  const begun = useRef(false);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const stay = () => {
    clearTimeout(timer.current);
    begun.current = false;
    setLeaving(false);
  };
  useEffect(() => {
    window.addEventListener('pageshow', stay);
    return () => {
      window.removeEventListener('pageshow', stay);
      clearTimeout(timer.current);
    };
  }, []);
  /** @param {() => Promise<void>} act */
  async function leave(act) {
    if (begun.current) return;
    begun.current = true;
    setLeaving(true);
    try {
      await act();
      timer.current = setTimeout(stay, LEAVING_MS);
    } catch (error) {
      stay();
      problem(error);
    }
  }
  return { leaving, leave };
}

// overHttps says what another address of the page would offer, or ''.
/** @param {AuthSettings} settings */
export function overHttps(settings) {
  const names = providersOf(settings).map(({ name }) => isolated(name));
  if (offered || names.length === 0) return '';
  return `To sign in with ${either.format(names)}, open this page over https.`;
}

/** @param {{ settings: AuthSettings }} props */
export function Providers({ settings }) {
  const providers = providersOf(settings);
  const { leaving, leave } = useLeaving();
  useEffect(() => {
    tidy().catch(() => {});
  }, []);
  if (providers.length === 0 || !offered) return null;
  return html`
    <p class="or">or</p>
    <div class="providers">
      ${providers.map(
        (provider) => html`
          <button key=${provider.id} disabled=${leaving} onClick=${() => leave(() => goSignIn(provider))}>
            <span>
              Continue with${' '}
              <bdi>${provider.name}</bdi>
            </span>
          </button>
        `,
      )}
    </div>
    ${
      keptHere() &&
      html`
        <p class="hint">Your files are kept only if you sign in with your password.</p>
      `
    }
  `;
}
