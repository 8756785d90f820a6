// The digest by mail: when it is sent, its preview, and the past ones.
import { html, useRef, useState } from '../../page/html.js';
import { call, list, one, update, upsert } from '../../client/api.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { problem, toast } from '../../page/messages.js';
import { dateTime } from '../../page/words.js';
import { dayIn, dayStarts } from './day.js';
import { example } from './digestexample.js';
import { Tag, Waiting } from '../../page/ui.js';

const frequencies = { off: 'Never', daily: 'Every day', weekly: 'Every week' };
/** @type {Record<string, string>} */
const weekdays = Object.fromEntries(
  [1, 2, 3, 4, 5, 6, 7].map((n) => [
    n,
    new Intl.DateTimeFormat(navigator.language, { weekday: 'long', timeZone: 'UTC' }).format(
      new Date(Date.UTC(2024, 0, n)),
    ),
  ]),
); // 1 January 2024 was a Monday
/** @type {Record<DigestDelivery['status'], string>} */
const deliveries = {
  planned: 'planned',
  sending: 'being sent',
  sent: 'sent',
  skipped: 'nothing new',
  uncertain: 'possibly sent',
  failed: 'failed',
};
/** @param {string} own */
const zones = (own) => [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', own])].sort();
const columns = 'frequency,timezone,hour,weekday,paused_until';
/** @type {Record<string, string>} */
const hours = Object.fromEntries(
  Array.from({ length: 24 }, (_, h) => [h, `${String(h).padStart(2, '0')}:00`]),
);

// Preview shows the digest that would be sent now, and can have it mailed to the user.
/** @param {{ frequency: DigestPreferences['frequency'], onClose: () => void }} props */
function Preview({ frequency, onClose }) {
  const path = `/api/notifications/digest/preview?frequency=${frequency}`;
  /** @type {Loaded<DigestPreview>} */
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
      <${Waiting} for=${preview} />
      ${
        p?.empty &&
        html`
          <p>Nothing worth a mail happened in ${p.period}.</p>
          <h3>An example, with invented people</h3>
          <pre class="mail" dir="auto" tabindex="0" aria-label="Example of a digest">${example}</pre>
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

/** @param {{ user: User }} props */
export function Digest({ user }) {
  const [previewed, setPreviewed] = useState(false);
  // What the fields begin with: saving must not undo what is entered meanwhile.
  const first = useRef(/** @type {DigestPreferences | null} */ (null));
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
  if (prefs.error || prefs.data === undefined || past.loading)
    return html`
      <${Waiting} for=${{ ...prefs, data: null }} />
    `;
  const saved = prefs.data;
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
  /** @type {DigestPreferences} */
  const p0 = saved ?? { frequency: 'weekly', timezone: local, hour: 8, weekday: 1, paused_until: null };
  first.current ??= p0;
  const until = Date.parse(p0.paused_until ?? ''); // NaN: not paused, or paused without an end
  const endless = p0.paused_until === 'infinity';
  const paused = until ? dayIn(until, p0.timezone) : '';
  // pause returns the moment at which the chosen day begins in the time zone. A time of day that another
  // client set is kept until the day or the zone changes.
  /** @param {Values} v */
  function pause(v) {
    if (!endless && v.paused === paused && v.timezone === p0.timezone) return p0.paused_until;
    return v.paused ? dayStarts(v.paused, v.timezone).toISOString() : null;
  }
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const v = valuesOf(form);
    const values = {
      frequency: v.frequency,
      timezone: v.timezone,
      hour: Number(v.hour),
      weekday: Number(v.weekday),
      paused_until: pause(v),
    };
    const row = saved
      ? await update('digest_preferences', { user_id: `eq.${user.id}` }, values, columns)
      : await upsert('digest_preferences', { user_id: user.id, ...values }, columns);
    prefs.set(() => row);
    toast('Digest saved.');
  }
  return html`
    <section class="card" aria-labelledby="digest">
      <h2 id="digest">Digest by mail</h2>
      <p class="faint">
        What others changed in your workspaces. Hypotheses with new evidence come first. If nothing changed,
        no mail is sent.
      </p>
      ${
        !user.email &&
        html`
          <p class="note">Your account has no e-mail address, so no digests are sent.</p>
        `
      }
      ${
        endless &&
        p0.frequency !== 'off' &&
        html`
          <p class="note">Your digest is paused. Save to resume it.</p>
        `
      }
      <${Form} send=${send} submit="Save">
        <${Fields} first=${first.current} local=${local} zone=${p0.timezone} paused=${paused} />
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
        past.data &&
        past.data.length > 0 &&
        html`
          <${Past} all=${past.data} />
        `
      }
    </section>
  `;
}

/** @param {Record<string, string>} all @param {string | number} value */
const options = (all, value) =>
  Object.entries(all).map(
    ([key, text]) => html`
      <option key=${key} value=${key} selected=${key === String(value)}>${text}</option>
    `,
  );

// Fields are the fields for when the digest is sent. first is what they begin with, local the time zone of
// the browser, and zone that of the digest.
/** @param {{ first: DigestPreferences, local: string, zone: string, paused: string }} props */
const Fields = ({ first, local, zone, paused }) => html`
  <div class="row">
    <${Field} label="How often">
      ${(p) => html`
        <select ...${p} name="frequency">
          ${options(frequencies, first.frequency)}
        </select>
      `}
    <//>
    <${Field} label="Day (weekly only)">
      ${(p) => html`
        <select ...${p} name="weekday">
          ${options(weekdays, first.weekday)}
        </select>
      `}
    <//>
    <${Field} label="At">
      ${(p) => html`
        <select ...${p} name="hour">
          ${options(hours, first.hour)}
        </select>
      `}
    <//>
  </div>
  <div class="row">
    <${Field} label="Time zone" hint=${zone !== local ? `This browser is in ${local}.` : ''}>
      ${(p) => html`
        <select ...${p} name="timezone">
          ${zones(first.timezone).map(
            (z) => html`
              <option key=${z} value=${z} selected=${z === first.timezone}>${z.replaceAll('_', ' ')}</option>
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
`;

/** @param {{ all: DigestDelivery[] }} props */
const Past = ({ all }) => html`
  <h3>Past digests</h3>
  <ul class="plain">
    ${all.slice(0, 10).map(
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
`;
