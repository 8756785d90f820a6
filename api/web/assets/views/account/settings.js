// The settings of the user: the digest, the name, the password, second factors, sessions and the account.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { call, list, one, update, upsert } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { changePassword, session } from '../../client/session.js';
import { useStore } from '../../page/store.js';
import { here } from '../../page/places.js';
import { date, dateTime, dayIn, dayStarts } from '../../page/words.js';
import { Account, MailedCode } from './owndata.js';
import { SecondFactor } from './factors.js';
import { Sessions } from './devices.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form } from '../../page/form.js';
import { Loading, Problem, Tag, Title } from '../../page/ui.js';
import { problem, toast } from '../../page/messages.js';

const frequencies = { off: 'Never', daily: 'Every day', weekly: 'Every week' };
const weekdays = Object.fromEntries(
  [1, 2, 3, 4, 5, 6, 7].map((n) => [
    n,
    new Intl.DateTimeFormat(navigator.language, { weekday: 'long', timeZone: 'UTC' }).format(
      new Date(Date.UTC(2024, 0, n)),
    ),
  ]),
); // 1 January 2024 was a Monday
const deliveries = {
  planned: 'planned',
  sending: 'being sent',
  sent: 'sent',
  skipped: 'nothing new',
  uncertain: 'possibly sent',
  failed: 'failed',
};
const zones = (own) => [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', own])].sort();
const columns = 'frequency,timezone,hour,weekday,paused_until';

// Preview shows the digest that would be sent now, and can have it mailed to the user.
function Preview({ frequency, onClose }) {
  const path = `/api/notifications/digest/preview?frequency=${frequency}`;
  const preview = useLoad((signal) => call(path, { signal }).then(({ body }) => body), [path]);
  const [sent, setSent] = useState(false);
  const p = preview.data;
  async function send() {
    setSent(true);
    try {
      await call(path, { method: 'POST' });
      toast('The digest is on its way to you.');
    } catch (error) {
      setSent(false);
      problem(error);
    }
  }
  return html`
    <${Dialog} title="Digest preview" wide onClose=${onClose}>
      ${
        preview.error &&
        html`
          <${Problem} error=${preview.error} retry=${preview.reload} />
        `
      }
      ${
        !p &&
        !preview.error &&
        html`
          <${Loading} />
        `
      }
      ${
        p?.empty &&
        html`
          <p>Nothing worth a mail happened in ${p.period}.</p>
        `
      }
      ${
        p &&
        !p.empty &&
        html`
          <h3 dir="auto">${p.subject}</h3>
          <pre class="mail" dir="auto" tabindex="0" aria-label="Text of the digest">${p.text}</pre>
          <div class="actions">
            ${
              !p.mailable &&
              html`
                <span class="hint">Your address is not confirmed, or it has rejected mails.</span>
              `
            }
            <button disabled=${sent || !p.mailable} onClick=${send}>Send it to me</button>
          </div>
        `
      }
    <//>
  `;
}

function Digest({ user }) {
  const [previewed, setPreviewed] = useState(false);
  const first = useRef(null); // what the fields begin with: saving must not undo what is entered meanwhile
  const prefs = useLoad(
    (signal) => one('digest_preferences', { user_id: `eq.${user.id}`, select: columns }, { signal }),
    [user.id],
  );
  const past = useLoad(
    (signal) =>
      list(
        'digest_deliveries',
        {
          user_id: `eq.${user.id}`,
          select: 'id,frequency,period,status,reason,sent_at',
          order: 'created_at.desc,id',
        },
        { signal },
      ),
    [user.id],
  );
  if (prefs.error)
    return html`
      <${Problem} error=${prefs.error} retry=${prefs.reload} />
    `;
  if (prefs.data === undefined || past.loading)
    return html`
      <${Loading} />
    `;
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
  const p0 = prefs.data ?? { frequency: 'weekly', timezone: local, hour: 8, weekday: 1, paused_until: null };
  first.current ??= p0;
  const options = (all, value) =>
    Object.entries(all).map(
      ([key, text]) => html`
        <option key=${key} value=${key} selected=${key === String(value)}>${text}</option>
      `,
    );
  const until = Date.parse(p0.paused_until); // NaN: not paused, or paused without an end
  const endless = p0.paused_until === 'infinity';
  const paused = until ? dayIn(until, p0.timezone) : '';
  // pause returns the moment at which the chosen day begins in the time zone. A time of day that another
  // client set is kept until the day or the zone changes.
  function pause(v) {
    if (!endless && v.paused === paused && v.timezone === p0.timezone) return p0.paused_until;
    return v.paused ? dayStarts(v.paused, v.timezone).toISOString() : null;
  }
  async function send(form) {
    const v = Object.fromEntries(new FormData(form));
    const values = {
      frequency: v.frequency,
      timezone: v.timezone,
      hour: Number(v.hour),
      weekday: Number(v.weekday),
      paused_until: pause(v),
    };
    const row = prefs.data
      ? await update('digest_preferences', { user_id: `eq.${user.id}` }, values, columns)
      : await upsert('digest_preferences', { user_id: user.id, ...values }, columns);
    prefs.set(() => row);
    toast('Digest saved.');
  }
  const hours = Object.fromEntries(
    Array.from({ length: 24 }, (_, h) => [h, `${String(h).padStart(2, '0')}:00`]),
  );
  return html`
    <section class="card" aria-labelledby="digest">
      <h2 id="digest">Digest by mail</h2>
      <p class="faint">
        What others changed in your workspaces. Hypotheses with new evidence come first. If nothing changed,
        no mail is sent.
      </p>
      ${
        endless &&
        p0.frequency !== 'off' &&
        html`
          <p class="note">Your digest is paused. Save to resume it.</p>
        `
      }
      <${Form} send=${send} submit="Save">
        <div class="row">
          <${Field} label="How often">
            ${(p) => html`
              <select ...${p} name="frequency">
                ${options(frequencies, first.current.frequency)}
              </select>
            `}
          <//>
          <${Field} label="Day (weekly only)">
            ${(p) => html`
              <select ...${p} name="weekday">
                ${options(weekdays, first.current.weekday)}
              </select>
            `}
          <//>
          <${Field} label="At">
            ${(p) => html`
              <select ...${p} name="hour">
                ${options(hours, first.current.hour)}
              </select>
            `}
          <//>
        </div>
        <div class="row">
          <${Field} label="Time zone" hint=${p0.timezone !== local ? `This browser is in ${local}.` : ''}>
            ${(p) => html`
              <select ...${p} name="timezone">
                ${zones(first.current.timezone).map(
                  (z) => html`
                    <option key=${z} value=${z} selected=${z === first.current.timezone}>
                      ${z.replaceAll('_', ' ')}
                    </option>
                  `,
                )}
              </select>
            `}
          <//>
          <${Field} label="Pause until" hint="The first day with digests again. Leave empty if not paused.">
            ${(p) => html`
              <input ...${p} type="date" name="paused" max="9999-12-31" defaultValue=${paused} />
            `}
          <//>
        </div>
      <//>
      <button onClick=${() => setPreviewed(true)}>Preview the digest</button>
      ${
        previewed &&
        html`
          <${Preview}
            frequency=${p0.frequency === 'daily' ? 'daily' : 'weekly'}
            onClose=${() => setPreviewed(false)}
          />
        `
      }
      ${
        past.data?.length > 0 &&
        html`
          <h3>Past digests</h3>
          <ul class="plain">
            ${past.data.slice(0, 10).map(
              (d) => html`
                <li key=${d.id}>
                  ${d.period}${' '}
                  <${Tag} kind=${'delivery ' + d.status}>${deliveries[d.status]}<//>
                  ${' '}
                  <span class="faint" dir="auto">${d.sent_at ? dateTime(d.sent_at) : d.reason}</span>
                </li>
              `,
            )}
          </ul>
        `
      }
    </section>
  `;
}

function Self({ user }) {
  const [mailed, setMailed] = useState(false); // whether the change of the password needs a code from a mail
  const profile = useLoad(
    (signal) => one('profiles', { id: `eq.${user.id}`, select: 'display_name,email,created_at' }, { signal }),
    [user.id],
  );
  if (!profile.data)
    return profile.error
      ? html`
          <${Problem} error=${profile.error} retry=${profile.reload} />
        `
      : html`
          <${Loading} />
        `;
  return html`
    <section class="card" aria-labelledby="self">
      <h2 id="self">Your account</h2>
      <${Form}
        submit="Save name"
        send=${async (form) => {
          const row = await update(
            'profiles',
            { id: `eq.${user.id}` },
            { display_name: new FormData(form).get('name') },
            'display_name,email,created_at',
          );
          profile.set(() => row);
          toast('Name saved.');
        }}
      >
        <${Field}
          label="Name"
          hint=${`Signed in as ${profile.data.email}. Account created on ${date(profile.data.created_at)}.`}
        >
          ${(p) => html`
            <input
              ...${p}
              name="name"
              maxlength="200"
              autocomplete="name"
              defaultValue=${profile.data.display_name}
            />
          `}
        <//>
      <//>
      <h3>Password</h3>
      <${Form}
        submit="Change password"
        send=${async (form) => {
          const { password, code } = Object.fromEntries(new FormData(form));
          if (!(await changePassword(password, code))) {
            setMailed(true);
            return;
          }
          setMailed(false);
          form.reset();
          toast('Password changed.');
        }}
      >
        <input
          class="unseen"
          type="text"
          autocomplete="username"
          value=${profile.data.email}
          readonly
          tabindex="-1"
          aria-hidden="true"
        />
        <${Field} label="New password">
          ${(p) => html`
            <input ...${p} name="password" type="password" autocomplete="new-password" required />
          `}
        <//>
        ${
          mailed &&
          html`
            <${MailedCode} />
          `
        }
      <//>
    </section>
  `;
}

export function Settings() {
  const { user } = useStore(session);
  useEffect(() => here.set(null), []);
  return html`
    <main id="main" class="page narrow">
      <header class="head"><${Title}>Settings<//></header>
      <${Digest} user=${user} />
      <${Self} user=${user} />
      <${SecondFactor} />
      <${Sessions} />
      <${Account} user=${user} />
    </main>
  `;
}
