// What the browser tests share: a browser, pages that are checked for errors, and users with data, created
// through the public APIs.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

export const base = process.env.BASE_URL;
const anonKey = process.env.ANON_KEY;
const pictures = process.env.PICTURES;

const PATIENCE_MS = 60_000; // costs no time when the tests pass
export const PARSE_MS = 180_000; // for work in the background, on a busy machine
const QUIET_MS = 150;
const password = 'correct horse battery';

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
});
after(() => browser?.close());

// visit opens a page in a context of its own. The test fails if a script throws, the security policy is
// violated or another server is contacted.
export async function visit(t, { width = 1280, height = 860, patience = PATIENCE_MS, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB', acceptDownloads: true, ...options });
  context.setDefaultTimeout(patience);
  const problems = [];
  const flying = new Set();
  let moved = 0;
  for (const event of ['request', 'requestfinished', 'requestfailed']) {
    context.on(event, (request) => {
      if (event === 'request') flying.add(request);
      else flying.delete(request);
      moved = Date.now();
    });
  }
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== base && protocol !== 'blob:' && protocol !== 'data:') problems.push(`request to another server: ${request.url()}`);
  });
  context.on('weberror', (error) => problems.push(error.error().stack));
  context.on('console', (message) => {
    // Many tests provoke failed requests, which the page must handle.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) problems.push(message.text());
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

// quiet waits until there were no requests for a moment, so that everything is shown.
export async function quiet(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await eventually(quiets.get(page.context()));
}

let people = 0;

async function answer(response) {
  const text = await response.text();
  assert.ok(response.ok, `${response.status} ${response.url}: ${text}`);
  return text ? JSON.parse(text) : null;
}

// person creates a user, who creates the data of a test through the APIs.
export async function person(name = 'Person') {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}-${process.pid}-${++people}@example.com`;
  const headers = { apikey: anonKey, 'Content-Type': 'application/json' };
  const signed = await answer(await fetch(`${base}/auth/v1/signup`, { method: 'POST', headers, body: JSON.stringify({ email, password, data: { display_name: name } }) }));
  return signedIn(email, password, signed.access_token);
}

function signedIn(email, secret, token) {
  const headers = { apikey: anonKey, Authorization: `Bearer ${token}` };
  // call repeats a request while the service is too busy to answer (503), as clients should.
  const call = async (method, path, body) => {
    const ask = () => fetch(base + path, { method, headers: { ...headers, 'Content-Type': 'application/json', Prefer: 'return=representation' }, body: body === undefined ? undefined : JSON.stringify(body) });
    let response;
    await eventually(async () => (response = await ask()).status !== 503);
    return answer(response);
  };
  return {
    email, password: secret, call,
    async project(...statements) {
      const [workspace] = await call('POST', '/rest/v1/workspaces', { name: `Workspace of ${email.split('@')[0]}` });
      const [project] = await call('POST', '/rest/v1/projects', { workspace_id: workspace.id, name: 'Receipts' });
      const hypotheses = [];
      for (const statement of statements) hypotheses.push(...(await call('POST', '/rest/v1/hypotheses', { project_id: project.id, statement })));
      return { workspace, ...project, hypotheses, path: `/projects/${project.id}` };
    },
    async upload(project, name, text) {
      const form = new FormData();
      form.append('project_id', project.id);
      form.append('file', new Blob([text]), name);
      return (await answer(await fetch(`${base}/api/import`, { method: 'POST', headers, body: form }))).importId;
    },
    async parse(project, importId, until = ['parsed']) {
      await call('POST', `/api/import/${importId}/parse`, { hypothesisIds: project.hypotheses.map((h) => h.id) });
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
  const some = 'we export the card statement every morning and paste it in then somebody sorts one column and not the others so it breaks about once a week'.split(' ');
  const lines = [];
  for (let i = 0; i * 20 < words; i++) {
    const rest = Array.from({ length: 17 }, (_, j) => some[(i * 7 + j * 3) % some.length]);
    lines.push(`${i % 2 ? 'Omar' : 'Dana'}: ${begin} In week ${i} ${rest.join(' ')}.`);
  }
  return lines.join('\n') + '\n';
}

// opened lets the model answer the prompts that wait for this gate.
export const opened = async (gate) => assert.ok((await fetch(`${process.env.GATES_URL}/${gate}`, { method: 'POST' })).ok);

export async function picture(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}/${name}.png` });
}

// figure reports a measurement.
export const figure = (t, text) => t.diagnostic(`figure: ${text}`);
