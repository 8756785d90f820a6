// The name and the password of the user.
import { html } from '../../page/html.js';
import { one, update } from '../../client/api.js';
import { account, reloadUser } from '../../client/session.js';
import { signsInByMail } from '../../client/user.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { toast } from '../../page/messages.js';
import { date } from '../../page/words.js';
import { Waiting } from '../../page/ui.js';

const columns = 'display_name,created_at';

/** @param {{ user: User }} props */
export function Self({ user }) {
  const profile = useLoad(
    (signal) => one('profiles', { id: `eq.${user.id}`, select: columns }, { signal }),
    [user.id],
  );
  /** @param {HTMLFormElement} form */
  async function saveName(form) {
    const values = { display_name: valuesOf(form).name };
    const row = await update('profiles', { id: `eq.${user.id}` }, values, columns);
    profile.set(() => row);
    toast('Name saved.');
  }
  /** @param {HTMLFormElement} form */
  async function savePassword(form) {
    const { password } = valuesOf(form);
    await account('/user', { method: 'PUT', json: { password } });
    form.reset();
    toast(has ? 'Password changed.' : 'Password set.');
    if (!has) reloadUser().catch(() => {});
  }
  const { data } = profile;
  const has = signsInByMail(user);
  if (!data)
    return html`
      <${Waiting} for=${profile} />
    `;
  return html`
    <section class="card" aria-labelledby="self">
      <h2 id="self">Your account</h2>
      <${Form} submit="Save name" send=${saveName}>
        <${Field}
          label="Name"
          hint=${[user.email && `Signed in as ${user.email}.`, `Account created on ${date(data.created_at)}.`]
            .filter(Boolean)
            .join(' ')}
        >
          ${(p) => html`
            <input
              ...${p}
              name="name"
              maxlength="200"
              autocomplete="name"
              defaultValue=${data.display_name}
            />
          `}
        <//>
      <//>
      ${
        user.email &&
        html`
          <${Password} email=${user.email} has=${has} send=${savePassword} />
        `
      }
    </section>
  `;
}

// Password is the form for another password, or for the first one.
/** @param {{ email: string, has: boolean, send: (form: HTMLFormElement) => Promise<void> }} props */
const Password = ({ email, has, send }) => html`
  <h3>Password</h3>
  <${Form} submit=${has ? 'Change password' : 'Set a password'} send=${send}>
    <input
      class="unseen"
      type="text"
      autocomplete="username"
      value=${email}
      readonly
      tabindex="-1"
      aria-hidden="true"
    />
    <${Field}
      label="New password"
      hint=${has ? '' : 'You have none yet. With one, you can also sign in with your e-mail address.'}
    >
      ${(p) => html`
        <input ...${p} name="password" type="password" autocomplete="new-password" required />
      `}
    <//>
  <//>
`;
