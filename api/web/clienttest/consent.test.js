// The question whether an app gets access, and where the answer goes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begin, callTool, callback, register } from './apps.js';
import {
  base,
  enter,
  eventually,
  gone,
  heading,
  person,
  picture,
  quiet,
  served,
  totp,
  visit,
} from './harness.js';

const id = '8c1f2a52-0d52-4a7a-9c3e-5b0a1f6f0d11';
const address = `/oauth/consent?authorization_id=${id}`;

const claude = {
  id: 'c0ffee00-0000-4000-8000-000000000001',
  name: 'Claude',
  uri: '',
  logo_uri: '',
  host: 'claude.ai',
  registration_type: 'dynamic',
};

// asks has the server answer with a request of an app. It returns what the page has answered.
async function asks(page, { client = claude, redirect = 'https://claude.ai/api/callback', ...members } = {}) {
  const answers = [];
  await page.route(`**/auth/v1/oauth/authorizations/${id}`, (route) =>
    route.fulfill({
      json: {
        authorization_id: id,
        redirect_uri: redirect,
        client,
        user: {},
        scope: 'research:read research:write research:ask email',
        resource: `${base}/mcp`,
        ...members,
      },
    }),
  );
  await page.route(`**/auth/v1/oauth/authorizations/${id}/consent`, (route) => {
    const { action } = route.request().postDataJSON();
    answers.push(action);
    const result = action === 'approve' ? 'code=one' : 'error=access_denied';
    return route.fulfill({ json: { redirect_url: `${redirect}?${result}&state=s` } });
  });
  return answers;
}

// ask opens the question as a new user.
async function ask(page, request) {
  const one = await person('Asked');
  const answers = await asks(page, request);
  await page.goto(base + address);
  await signIn(page, one);
  return { one, answers };
}

const question = (page) => heading(page, 'Give this app access?');
const allow = (page) => page.getByRole('button', { name: 'Allow' });

async function signIn(page, one) {
  await page.getByLabel('E-mail').fill(one.email);
  await page.getByLabel('Password').fill(one.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('an app is allowed, works with what it was allowed, and is removed in the settings', async (t) => {
  const { origin, came } = await callback(t);
  const page = await visit(t, { leadsTo: [origin] });
  const redirect = `${origin}/callback`;
  const client = await register('Claude', redirect);
  const one = await person('Allows');
  const { workspace } = await one.project('Something');
  const { address: start, exchange } = begin(client, redirect);
  await page.goto(start);
  await signIn(page, one);
  await question(page).waitFor();
  const asked = page.url();
  await page.getByText('Claude', { exact: true }).waitFor();
  await page.getByText('Nobody has checked this name').waitFor();
  await page.getByText('The answer goes to an app on this computer.').waitFor();
  await allow(page).click();
  await heading(page, 'The app has it').waitFor();
  const answer = new URLSearchParams(came[0].split('?')[1]);
  assert.equal(answer.get('state'), 'a state');
  assert.equal(answer.get('iss'), `${base}/auth/v1`);
  const { access_token: token, scope } = await exchange(answer.get('code'));
  assert.equal(scope, 'research:read research:write');
  assert.equal(await callTool(token), 200);

  await page.goto(asked);
  await heading(page, 'This request cannot be answered').waitFor();
  await page.goto(`${base}/settings`);
  const apps = page.getByRole('region', { name: 'Connected apps' });
  await apps.getByText('reads, adds').waitFor();
  await apps.getByRole('button', { name: 'Remove Claude' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await apps.getByText('No app has access to your account.').waitFor();
  await eventually(async () => (await callTool(token)) === 401, 3000);

  await page.goto(`${base}/workspaces/${workspace.slug}`);
  await page.getByText('Audit log', { exact: true }).click();
  const records = page.locator('.audit li');
  for (const [filter, text] of [
    ['Connected apps', 'Allows gave access to Claude'],
    ['Assistants', 'Allows used list projects through Claude'],
  ]) {
    await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption(filter);
    await records.getByText(text).waitFor();
    await eventually(async () => (await records.count()) === 1);
  }
});

test('an app is denied, and nobody else answers for the user', async (t) => {
  const { origin, came } = await callback(t);
  const page = await visit(t, { leadsTo: [origin] });
  const redirect = `${origin}/callback`;
  const client = await register('Asks twice', redirect);
  await page.goto(begin(client, redirect).address);
  await signIn(page, await person('First'));
  await question(page).waitFor();
  const asked = page.url();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${base}/`);
  await enter(page, await person('Other'));
  await page.goto(asked);
  await page.getByText('It has expired, or another account has opened it.').waitFor();
  await page.goto(begin(client, redirect).address);
  await page.getByRole('button', { name: 'Deny' }).click();
  await heading(page, 'The app has it').waitFor();
  assert.match(came[0], /[?&]error=access_denied&/);
});

test('no other site can show the question in a frame', async (t) => {
  const { origin } = await callback(t);
  const page = await visit(t, { leadsTo: [origin], provokes: /frame-ancestors|in a frame/ });
  await page.goto(`${origin}/frame?of=${encodeURIComponent(base + address)}`);
  await eventually(async () => page.frames().length === 2 && page.frames()[1].url() !== 'about:blank');
  await quiet(page);
  assert.equal(await page.frameLocator('iframe').locator('#page').count(), 0);
});

test('who is signed out signs in first, also with a second factor, and then answers', async (t) => {
  const { origin, came } = await callback(t);
  const page = await visit(t, { leadsTo: [origin] });
  const one = await person('Second');
  const factor = await one.call('POST', '/auth/v1/factors', { factor_type: 'totp' });
  const challenge = await one.call('POST', `/auth/v1/factors/${factor.id}/challenge`);
  await one.call('POST', `/auth/v1/factors/${factor.id}/verify`, {
    challenge_id: challenge.id,
    code: totp(factor.totp.secret),
  });
  const answers = await asks(page, { redirect: `${origin}/callback` });
  await page.goto(base + address);
  await page.getByText('An app asks for access to your account. Sign in to answer.').waitFor();
  await picture(page, 'consent-signin');
  await signIn(page, one);
  await page.getByRole('textbox', { name: 'Code' }).fill(totp(factor.totp.secret, 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await question(page).waitFor();
  await page.getByText(one.email).waitFor();
  await allow(page).click();
  await heading(page, 'The app has it').waitFor();
  assert.deepEqual(came, ['/callback?code=one&state=s']);
  assert.deepEqual(answers, ['approve']);
});

test('the question says who asks, for what, and where the answer goes', async (t) => {
  const page = await visit(t);
  await ask(page);
  await question(page).waitFor();
  await page.getByText('Claude', { exact: true }).waitFor();
  await page.getByText('Nobody has checked this name').waitFor();
  await page.getByText('The answer goes to claude.ai.').waitFor();
  for (const may of [
    'Read the interviews, hypotheses and evidence of all your workspaces',
    'Add hypotheses, questions and evidence',
    'Ask questions of your interviews, which costs money',
    'See your e-mail address',
  ])
    await page.getByRole('listitem').getByText(may).waitFor();
  await page.getByText('This request expires after 10 minutes.').waitFor();
  // The heading has the focus, so that neither Enter nor Space answers.
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
  const classes = await page.getByRole('button', { name: 'Deny' }).getAttribute('class');
  assert.doesNotMatch(classes ?? '', /danger/);
  for (const [size, width] of Object.entries({ wide: 1280, narrow: 390 })) {
    await page.setViewportSize({ width, height: 860 });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `consent-${size}-${colorScheme}`);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  }
});

test('apps are told apart by how the server knows them, and names are only text', async (t) => {
  const page = await visit(t);
  const name = `<b>Claude</b>\u202e\n${'long '.repeat(100)}`;
  await ask(page, { client: { ...claude, name }, redirect: 'http://127.0.0.1:4321/callback' });
  await page.getByText('<b>Claude</b> long').waitFor();
  await page.getByText('The answer goes to an app on this computer.').waitFor();
  await picture(page, 'consent-long-name');
  for (const [client, redirect, ...says] of [
    [
      { ...claude, host: 'cursor.com', registration_type: 'metadata_document' },
      'https://other.example/back',
      'The name is what cursor.com says.',
      'The answer goes to other.example.',
    ],
    [
      { ...claude, registration_type: 'manual' },
      'cursor://anysphere.cursor-mcp/back',
      'The operator of this server has registered this app.',
      'The answer goes to an app on this computer that opens cursor: links.',
    ],
    [{ ...claude, name: '' }, 'http://localhost:1/', 'An app without a name', 'on this computer'],
  ]) {
    await page.unrouteAll();
    await asks(page, { client, redirect });
    await page.reload();
    for (const text of says) await page.getByText(text).waitFor();
    if (client.registration_type === 'metadata_document') await picture(page, 'consent-document');
  }
});

test('who denies goes back, too', async (t) => {
  const { origin, came } = await callback(t);
  const page = await visit(t, { leadsTo: [origin] });
  const { answers } = await ask(page, { redirect: `${origin}/callback` });
  await page.getByRole('button', { name: 'Deny' }).click();
  await heading(page, 'The app has it').waitFor();
  assert.deepEqual(came, ['/callback?error=access_denied&state=s']);
  assert.deepEqual(answers, ['deny']);
});

test('what was allowed before leads on at once', async (t) => {
  const { origin, came } = await callback(t);
  const page = await visit(t, { leadsTo: [origin] });
  await enter(page, await person('Returns'));
  await page.route(`**/auth/v1/oauth/authorizations/${id}`, (route) =>
    route.fulfill({ json: { redirect_url: `${origin}/callback?code=two` } }),
  );
  await page.goto(base + address);
  await heading(page, 'The app has it').waitFor();
  assert.deepEqual(came, ['/callback?code=two']);
});

test('an app with a scheme of its own is opened, and the window can be closed', async (t) => {
  const page = await visit(t, { leadsTo: ['cursor:'] });
  await ask(page, { redirect: 'cursor://anysphere.cursor-mcp/back' });
  await allow(page).click();
  await heading(page, 'Access allowed').waitFor();
  await page.getByText('You can close this window.').waitFor();
  const link = page.getByRole('link', { name: 'Open the app' });
  assert.equal(await link.getAttribute('href'), 'cursor://anysphere.cursor-mcp/back?code=one&state=s');
  await picture(page, 'consent-scheme');
});

test('the page opens no address but the one that it has named', async (t) => {
  const page = await visit(t);
  const { destination, leadsTo, placeOf } = await served('views/shared/destination.js');
  for (const text of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://a.example/1',
    'file:///etc/passwd',
    'about:blank',
    'view-source:https://a.example',
    'http://a.example/',
    'http://127.0.0.1.example/',
    'ftp://a.example/',
    'intent://a#Intent;end',
    'chrome://settings',
    'ms-msdt:/id',
    'mailto:a@a.example',
    'web+app://a',
    'http://127.8.8.8/',
    '/relative',
    '',
  ])
    assert.equal(destination(text), null, text);
  assert.deepEqual(destination('https://claude.ai@evil.example:8443/x'), {
    kind: 'site',
    host: 'evil.example:8443',
  });
  for (const local of ['http://localhost:1/', 'http://127.0.0.1/x', 'http://[::1]:9/', 'https://localhost/'])
    assert.deepEqual(destination(local), { kind: 'computer' }, local);
  for (const scheme of [
    'cursor',
    'raycast',
    'vscode',
    'vscode-insiders',
    'warp',
    'windsurf',
    'com.a-b.app1',
  ]) {
    assert.deepEqual(destination(`${scheme}://back`), { kind: 'scheme', scheme });
    assert.deepEqual(placeOf(`${scheme}:`), { kind: 'scheme', scheme });
  }
  assert.ok(leadsTo('https://a.example/x?code=1', 'https://a.example/x'));
  for (const other of ['https://b.example/x?code=1', 'https://a.example/y', 'http://a.example/x', 'a:/x'])
    assert.ok(!leadsTo(other, 'https://a.example/x'), other);

  await ask(page);
  await question(page).waitFor();
  for (const url of ['javascript:document.title="run"', 'https://evil.example/?code=1']) {
    await page.route(`**/authorizations/${id}/consent`, (route) =>
      route.fulfill({ json: { redirect_url: url } }),
    );
    await allow(page).click();
    await page.getByText('at an address that this page does not open').waitFor();
    await page.reload();
    await question(page).waitFor();
  }
  await page.route(`**/auth/v1/oauth/authorizations/${id}`, (route) =>
    route.fulfill({ json: { redirect_url: 'javascript:document.title="run"' } }),
  );
  await page.reload();
  await heading(page, 'This request cannot be answered').waitFor();
  assert.equal(await page.title(), 'This request cannot be answered · Research');
});

test('a sign-in of long ago is proven in a dialog, and then the answer is sent', async (t) => {
  const { origin, came } = await callback(t);
  const page = await visit(t, { leadsTo: [origin] });
  const { one } = await ask(page, { redirect: `${origin}/callback` });
  let asked = 0;
  await page.route(`**/authorizations/${id}/consent`, (route) => {
    if (asked++ > 1) return route.fallback();
    const json = { code: 400, error_code: 'reauthentication_needed', msg: 'Sign in again.' };
    return route.fulfill({ status: 400, json });
  });
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await allow(page).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alert').getByText('Sign in again.').waitFor();
  await allow(page).click();
  await dialog.getByLabel('Your password').fill(one.password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await heading(page, 'The app has it').waitFor();
  assert.deepEqual(came, ['/callback?code=one&state=s']);
});

test('a second factor that was added meanwhile is asked for', async (t) => {
  const { origin } = await callback(t);
  const page = await visit(t, { leadsTo: [origin] });
  const { one } = await ask(page, { redirect: `${origin}/callback` });
  await question(page).waitFor();
  const factor = await one.call('POST', '/auth/v1/factors', { factor_type: 'totp' });
  const challenge = await one.call('POST', `/auth/v1/factors/${factor.id}/challenge`);
  await one.call('POST', `/auth/v1/factors/${factor.id}/verify`, {
    challenge_id: challenge.id,
    code: totp(factor.totp.secret),
  });
  let asked = 0;
  await page.route(`**/authorizations/${id}/consent`, (route) => {
    if (asked++ > 0) return route.fallback();
    return route.fulfill({ status: 401, json: { code: 401, error_code: 'insufficient_aal', msg: 'No.' } });
  });
  await allow(page).click();
  await page.getByText('Your session has ended').waitFor(); // that without the second factor
  await signIn(page, one);
  await page.getByRole('textbox', { name: 'Code' }).fill(totp(factor.totp.secret, 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await question(page).waitFor();
  await allow(page).click();
  await heading(page, 'The app has it').waitFor();
});

test('a request that is unknown, expired or of somebody else says what to do', async (t) => {
  const page = await visit(t);
  await ask(page);
  await question(page).waitFor();
  const missing = {
    code: 404,
    error_code: 'oauth_authorization_not_found',
    msg: 'There is no such request.',
  };
  await page.route(`**/authorizations/${id}/consent`, (route) =>
    route.fulfill({ status: 404, json: missing }),
  );
  await allow(page).click();
  const lost = heading(page, 'This request cannot be answered');
  await lost.waitFor();
  await page.getByText('It has expired, or another account has opened it.').waitFor();
  await page.getByText('To connect the app, begin again there.').waitFor();
  await picture(page, 'consent-lost');
  await page.goto(`${base}/oauth/consent?authorization_id=1`);
  await page.getByText('Its address is not complete.').waitFor();
  await page.goto(`${base}/oauth/consent`);
  await lost.waitFor();
});

test('a click that was begun on another window does not allow anything', async (t) => {
  const page = await visit(t);
  const { answers } = await ask(page);
  await question(page).waitFor();
  await eventually(async () => (await allow(page).getAttribute('aria-disabled')) === null);
  await page.evaluate(() => {
    window.dispatchEvent(new Event('focus')); // the other window has vanished
  });
  await eventually(async () => (await allow(page).getAttribute('aria-disabled')) === 'true');
  await allow(page).dispatchEvent('click');
  assert.deepEqual(answers, []);
  await eventually(async () => (await allow(page).getAttribute('aria-disabled')) === null);
});

test('who is somebody else signs out, and leaves the request behind', async (t) => {
  const page = await visit(t);
  await ask(page);
  await page.getByText('Not you? Sign out, then connect again in the app.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${base}/`);
  await heading(page, 'Sign in').waitFor();
  await gone(page.getByText('An app asks for access to your account.'));
});
