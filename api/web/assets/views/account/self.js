// The name and the password of the user.
import { html } from '../../page/html.js';
import { one, update } from '../../client/api.js';
import { account } from '../../client/session.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { toast } from '../../page/messages.js';
import { date } from '../../page/words.js';
import { Waiting } from '../../page/ui.js';

const columns = 'display_name,email,created_at';

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
    toast('Password changed.');
  }
  const { data } = profile;
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
          hint=${`Signed in as ${data.email}. Account created on ${date(data.created_at)}.`}
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
      <h3>Password</h3>
      <${Form} submit="Change password" send=${savePassword}>
        <input
          class="unseen"
          type="text"
          autocomplete="username"
          value=${data.email}
          readonly
          tabindex="-1"
          aria-hidden="true"
        />
        <${Field} label="New password">
          ${(p) => html`
            <input ...${p} name="password" type="password" autocomplete="new-password" required />
          `}
        <//>
      <//>
    </section>
  `;
}
