// The forms to sign in, to sign up (if the server allows it) and to ask for a new password.
import { html, useEffect, useState } from '../../page/html.js';
import { followed, recover, settings, signIn, signUp } from '../../client/session.js';
import { offline } from '../../client/http.js';
import { durable } from '../../client/vault.js';
import { keptAny } from '../../page/drafts.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { useStore } from '../../page/store.js';
import { Problem, Title } from '../../page/ui.js';
import { Door } from './door.js';

const kinds = {
  in: { title: 'Sign in', submit: 'Sign in' },
  up: { title: 'Create an account', submit: 'Create account' },
  lost: { title: 'Reset your password', submit: 'Send link' },
};

/** @typedef {keyof typeof kinds} Kind */

const creed = html`
  <p class="creed">
    Upload interviews. See which hypotheses they support or contradict, every quote checked word for word.
  </p>
`;

const own = ['email', 'phone', 'anonymous_users']; // what the server offers without a provider

// buttons returns the buttons for the providers of a server, and what they need, if it has any.
/** @param {AuthSettings | undefined} settings */
async function buttons(settings) {
  const offers = Object.entries(settings?.external ?? {}).some(([id, on]) => on && !own.includes(id));
  if (!settings || !offers) return null;
  const { Providers, overHttps } = await import('../account/providers.js').catch(() => {
    throw offline();
  });
  return { Providers, hint: overHttps(settings) };
}

/** @param {{ note: string }} props */
export function SignIn({ note }) {
  const [kind, setKind] = useState(/** @type {Kind} */ ('in'));
  const [sent, setSent] = useState(/** @type {{ email: string, text: string } | null} */ (null));
  const invited = useStore(followed) !== null;
  const allowed = useLoad(settings, []);
  const { data } = allowed;
  const external = useLoad(() => buttons(data), [data]);
  const signUps = data && !data.disable_signup;
  const [kept, setKept] = useState(false);
  useEffect(() => setKept(keptAny()), []); // the forms of the session are removed after the first rendering
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { email, password, name } = valuesOf(form);
    if (kind === 'in') await signIn(email, password);
    else if (kind === 'lost') {
      await recover(email);
      setSent({
        email,
        text:
          'If an account with this address exists, we have sent a link to it. ' +
          'The link signs you in, so that you can choose a new password.',
      });
    } else if (!(await signUp(email, password, name))) {
      setSent({ email, text: 'We sent you an e-mail. Open the link in it to confirm your address.' });
    }
  }
  /** @param {Kind} to */
  const change = (to) => () => {
    setKind(to);
    setSent(null);
  };
  if (sent)
    return html`
      <${Door} below=${creed}>
        <${Title} key="sent">One more step<//>
        <p><b dir="auto">${sent.email}</b></p>
        <p>${sent.text}</p>
        <p><button onClick=${change('in')}>Back to sign in</button></p>
      <//>
    `;
  const { title, submit } = kinds[kind];
  return html`
    <${Door} below=${creed}>
      <${Title} key=${kind}>${title}<//>
      ${
        invited &&
        html`
          <p class="note">
            You are invited to a workspace. ${signUps ? 'Sign in, or create an account,' : 'Sign in'} to join
            it.
          </p>
        `
      }
      ${
        note &&
        kind === 'in' &&
        html`
          <p class="note" role="status">
            ${note}${kept && ' What you typed is kept: open the same form again.'}
          </p>
        `
      }
      <${Form} key=${kind + '-form'} send=${send} submit=${submit}><${Fields} kind=${kind} /><//>
      ${
        data &&
        external.data &&
        kind !== 'lost' &&
        html`
          <${external.data.Providers} settings=${data} />
        `
      }
      <${Failed} of=${allowed} />
      <${Failed} of=${external} />
      <p class="other">
        ${
          kind === 'in'
            ? html`
                ${
                  signUps &&
                  html`
                    <button class="link" onClick=${change('up')}>Create an account</button>
                  `
                }${
                  data &&
                  html`
                    <button class="link" onClick=${change('lost')}>Forgot your password?</button>
                  `
                }
              `
            : html`
                <button class="link" onClick=${change('in')}>Back to sign in</button>
              `
        }
      </p>
      ${
        !durable &&
        html`
          <p class="hint">
            This page is not served over https, so your session cannot be stored: you have to sign in again
            after a reload. ${kind !== 'lost' && external.data?.hint}
          </p>
        `
      }
    <//>
  `;
}

// Failed says that something which the forms need could not be loaded.
/** @param {{ of: Pick<Loaded<unknown>, 'error' | 'reload'> }} props */
const Failed = ({ of: { error, reload } }) =>
  error &&
  html`
    <${Problem} error=${error} retry=${reload} />
  `;

/** @param {{ kind: Kind }} props */
const Fields = ({ kind }) => html`
  ${
    kind === 'up' &&
    html`
      <${Field} label="Your name" hint="Shown to the members of your workspaces.">
        ${(p) => html`
          <input ...${p} name="name" autocomplete="name" required maxlength="200" />
        `}
      <//>
    `
  }
  <${Field} label="E-mail">
    ${(p) => html`
      <input
        ...${p}
        name="email"
        type="email"
        autocomplete="username"
        required
        autocapitalize="none"
        spellcheck="false"
      />
    `}
  <//>
  ${
    kind !== 'lost' &&
    html`
      <${Field} label="Password" hint=${kind === 'up' ? 'At least 8 characters.' : ''}>
        ${(p) => html`
          <input
            ...${p}
            name="password"
            type="password"
            autocomplete=${kind === 'up' ? 'new-password' : 'current-password'}
            required
          />
        `}
      <//>
    `
  }
`;
