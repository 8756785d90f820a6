// What the browser tests share: a browser, pages that are checked for errors, and users with data, created
// through the public APIs.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

export const base = process.env.BASE_URL;
const anonKey = process.env.ANON_KEY;
const serviceKey = process.env.SERVICE_ROLE_KEY;
const pictures = process.env.PICTURES;

const PATIENCE_MS = 60_000; // costs no time when the tests pass
export const PARSE_MS = 180_000; // for work in the background, on a busy machine
const QUIET_MS = 150;
const password = 'correct horse battery';

const LAUNCHES = 3;

// launch starts Chromium, again if it crashes at the start.
async function launch() {
  for (let attempt = 1; ; attempt++) {
    try {
      return await chromium.launch({
        executablePath: process.env.CHROMIUM,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
        timeout: PARSE_MS,
      });
    } catch (error) {
      if (attempt === LAUNCHES) throw error;
      console.error(`Chromium is started again, because it failed: ${error.message.split('\n')[0]}`);
    }
  }
}

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

// visit opens a page in a context of its own. The test fails if a script throws, the security policy is
// violated or another server is contacted, other than at the origins or schemes to which the page leads. What
// a test provokes the browser to report is no problem.
export async function visit(
  t,
  { width = 1280, height = 860, patience = PATIENCE_MS, leadsTo = [], provokes, ...options } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    acceptDownloads: true,
    ...options,
  });
  context.setDefaultTimeout(patience);
  const problems = [];
  const flying = new Set();
  let moved = 0;
  for (const event of ['request', 'requestfinished', 'requestfailed']) {
    context.on(event, (request) => {
      if (new URL(request.url()).pathname.endsWith('/events')) return; // a stream, which stays open
      if (event === 'request') flying.add(request);
      else flying.delete(request);
      moved = Date.now();
    });
  }
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const named = origin === base || leadsTo.includes(origin) || leadsTo.includes(protocol);
    if (!named && protocol !== 'blob:' && protocol !== 'data:')
      problems.push(`request to another server: ${request.url()}`);
  });
  context.on('weberror', (error) => problems.push(error.error().stack));
  context.on('console', (message) => {
    // Many tests provoke failed requests, which the page must handle.
    const expected = message.text().startsWith('Failed to load resource') || provokes?.test(message.text());
    if (message.type() === 'error' && !expected) problems.push(message.text());
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(problems, []);
  });
  const page = await context.newPage();
  quiets.set(context, () => flying.size === 0 && Date.now() - moved >= QUIET_MS);
  return page;
}

const quiets = new WeakMap();

// quiet waits until there were no requests for a moment, so that everything is shown. Each look waits for two
// frames of the page, so that what the page has sent by then is known here, also on a busy machine.
export async function quiet(page) {
  const still = quiets.get(page.context());
  await eventually(async () => {
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    return still();
  });
}

let people = 0;

async function answer(response) {
  const text = await response.text();
  assert.ok(response.ok, `${response.status} ${response.url}: ${text}`);
  return text ? JSON.parse(text) : null;
}

// patiently repeats a request while the service is too busy to answer (503), as clients should.
async function patiently(ask) {
  let response;
  await eventually(async () => (response = await ask()).status !== 503);
  return answer(response);
}

// person creates a user, with a proven address, who creates the data of a test through the APIs.
export async function person(name = 'Person', { proven = true } = {}) {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}-${process.pid}-${++people}@example.com`;
  const headers = { apikey: anonKey, 'Content-Type': 'application/json' };
  const signed = await patiently(() =>
    fetch(`${base}/auth/v1/signup`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email, password, data: { display_name: name } }),
    }),
  );
  if (proven) await prove(signed.user);
  return signedIn(email, password, signed.access_token);
}

// asService sends a request with the key of services: it may write what no person may.
export const asService = (method, path, body) =>
  patiently(() =>
    fetch(base + path, {
      method,
      headers: {
        apikey: serviceKey,
        Authorization: `Bearer ${serviceKey}`,
        'Content-Type': 'application/json',
        Prefer: 'return=representation',
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
  );

// prove has an administrator say that the address of a user is the user's own.
export const prove = ({ id }) =>
  patiently(() =>
    fetch(`${base}/auth/v1/admin/users/${id}`, {
      method: 'PUT',
      headers: {
        apikey: serviceKey,
        Authorization: `Bearer ${serviceKey}`,
        'Content-Type': 'application/json',
      },
      body: '{"email_confirm":true}',
    }),
  );

function signedIn(email, secret, token) {
  const headers = { apikey: anonKey, Authorization: `Bearer ${token}` };
  const call = (method, path, body) =>
    patiently(() =>
      fetch(base + path, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json', Prefer: 'return=representation' },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    );
  return {
    email,
    password: secret,
    call,
    as: (newToken) => signedIn(email, secret, newToken),
    signIn: () => call('POST', '/auth/v1/token?grant_type=password', { email, password: secret }),
    async project(...statements) {
      const [workspace] = await call('POST', '/rest/v1/workspaces', {
        name: `Workspace of ${email.split('@')[0]}`,
      });
      const [project] = await call('POST', '/rest/v1/projects', {
        workspace_id: workspace.id,
        name: 'Receipts',
      });
      const hypotheses = [];
      for (const statement of statements)
        hypotheses.push(
          ...(await call('POST', '/rest/v1/hypotheses', { project_id: project.id, statement })),
        );
      return { workspace, ...project, hypotheses, path: `/projects/${project.id}` };
    },
    async upload(project, name, text) {
      const form = new FormData();
      form.append('project_id', project.id);
      form.append('file', new Blob([text]), name);
      const send = () => fetch(`${base}/api/import`, { method: 'POST', headers, body: form });
      return (await patiently(send)).importId;
    },
    async parse(project, importId, until = ['parsed']) {
      await call('POST', `/api/import/${importId}/parse`, {
        hypothesisIds: project.hypotheses.map((h) => h.id),
      });
      await eventually(async () => until.includes((await call('GET', `/api/import/${importId}`)).status));
    },
  };
}

export async function eventually(holds, ms = PARSE_MS) {
  const end = Date.now() + ms;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `not within ${ms} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// gone waits until a locator finds nothing.
export const gone = (locator) => eventually(async () => (await locator.count()) === 0);

// keepMessages has messages stay for half a minute, in which a busy machine can press Undo.
export const keepMessages = (page) =>
  page.addInitScript(() => {
    const begin = window.setTimeout.bind(window);
    window.setTimeout = (act, ms, ...rest) => begin(act, ms === 8000 ? 30_000 : ms, ...rest);
  });

// within waits until an element is scrolled into the visible part of another, which takes some frames.
export const within = (locator, pane) =>
  eventually(async () => {
    const [inner, outer] = [await locator.boundingBox(), await pane.boundingBox()];
    return inner && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
  });

// enter signs a user in and opens an address.
export async function enter(page, { email, password: secret }, path = '/') {
  await page.goto(base + path);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('nav.places').waitFor({ state: 'attached' }); // in narrow windows it is in the menu
}

// The scene: a project after some weeks of use.
export const lena = { email: 'lena@example.com', password: 'correct horse' };
export const scene = '/projects/00000000-0000-4000-8000-0000000000a1';

// A project that was read by keyword, before there was a model.
export const kim = { email: 'kim@example.com', password: 'correct horse' };
export const byKeyword = '00000000-0000-4000-8000-0000000000b1';

// resumed returns the user of the scene, or of the project that was read by keyword, as person does.
export async function resumed({ email, password: secret }) {
  const { access_token: token } = await signedIn(email, secret).signIn();
  return signedIn(email, secret, token);
}

// linkTo waits for the mail to an address with another link than the past one, and returns its link.
export async function linkTo(email, past) {
  const folder = process.env.MAIL_DIR;
  let link;
  await eventually(() => {
    if (!existsSync(folder)) return false; // the first mail creates it
    const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
    const links = names
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
      .filter((text) => text.includes(`To: <${email}>`))
      .map((mail) => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))
      .map((mail) => mail.match(/http[^\s"]*\/auth\/v1\/verify\?[^\s"]+/)[0]);
    link = links.find((one) => one !== past);
    return link;
  });
  return link;
}

// totp returns the code of an authenticator app (RFC 6238) that many periods of 30 seconds from now.
export function totp(secret, periods = 0) {
  const bits = [...secret].map((c) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)
      .map((byte) => parseInt(byte, 2)),
  );
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + periods));
  const mac = createHmac('sha1', key).update(counter).digest();
  return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

export const heading = (page, name) => page.getByRole('heading', { level: 1, name });

// drop drops files on the page: [[name, text]].
export async function drop(page, files) {
  const dataTransfer = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const [name, text] of all) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page.getByRole('region', { name: 'Upload transcripts' }).dispatchEvent('drop', { dataTransfer });
}

// spoken returns a transcript with this number of words, in turns of twenty words that begin with a text.
export function spoken(words, begin = '') {
  const some = (
    'we export the card statement every morning and paste it in then somebody sorts one column ' +
    'and not the others so it breaks about once a week'
  ).split(' ');
  const lines = [];
  for (let i = 0; i * 20 < words; i++) {
    const rest = Array.from({ length: 17 }, (_, j) => some[(i * 7 + j * 3) % some.length]);
    lines.push(`${i % 2 ? 'Omar' : 'Dana'}: ${begin} In week ${i} ${rest.join(' ')}.`);
  }
  return lines.join('\n') + '\n';
}

// opened lets the model answer the prompts that wait for this gate.
export const opened = async (gate) =>
  assert.ok((await fetch(`${process.env.GATES_URL}/${gate}`, { method: 'POST' })).ok);

// served imports a module of the page, which imports no others.
export async function served(path) {
  const [assets] = /\/assets\/[\w-]+\//.exec(await (await fetch(base)).text());
  const code = await (await fetch(`${base}${assets}${path}`)).text();
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

export async function picture(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}/${name}.png` });
}

// figure reports a measurement.
export const figure = (t, text) => t.diagnostic(`figure: ${text}`);
