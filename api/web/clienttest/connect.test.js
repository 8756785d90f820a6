// Settings: connecting an assistant, apps with access, and personal access tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool } from './apps.js';
import { base, enter, eventually, gone, heading, person, picture, visit } from './harness.js';

const grant = {
  client: {
    id: 'https://claude.ai/client?a=1',
    name: 'Claude',
    uri: '',
    logo_uri: '',
    host: 'claude.ai',
    registration_type: 'metadata_document',
  },
  scopes: ['research:read', 'research:write'],
  granted_at: '2031-04-01T10:00:00Z',
  last_used_at: '2031-04-12T10:00:00Z',
};

// serve has the server answer with apps and tokens. It returns what was asked for.
async function serve(page, { grants = [grant], tokens = [] } = {}) {
  const asked = [];
  await page.route('**/auth/v1/user/oauth/grants*', (route) => {
    const { search } = new URL(route.request().url());
    if (route.request().method() !== 'DELETE') return route.fulfill({ json: grants });
    asked.push(`remove ${new URLSearchParams(search).get('client_id')}`);
    return route.fulfill({ status: 204 });
  });
  await page.route('**/auth/v1/tokens*', (route) => {
    if (route.request().method() !== 'POST') return route.fulfill({ json: { tokens } });
    const made = route.request().postDataJSON();
    asked.push(made);
    const token = {
      id: '1',
      created_at: '2031-04-12T10:00:00Z',
      expires_at: '2031-05-12T10:00:00Z',
      last_used_at: null,
      ...made,
    };
    tokens.push(token);
    return route.fulfill({ status: 201, json: { ...token, token: 'rsp_secret' } });
  });
  await page.route('**/auth/v1/tokens/*', (route) => {
    asked.push(`${route.request().method()} ${route.request().url().split('/').pop()}`);
    return route.fulfill({ status: 204 });
  });
  return asked;
}

test('the settings name the address for assistants, unless they are off', async (t) => {
  const page = await visit(t, { permissions: ['clipboard-read', 'clipboard-write'] });
  await serve(page);
  const mcp = `${base}/mcp`;
  await enter(page, await person('Connects'), '/settings');
  const connect = page.getByRole('region', { name: 'Connect an assistant' });
  assert.equal(await connect.getByLabel('Address', { exact: true }).inputValue(), mcp);
  await connect.getByRole('button', { name: 'Copy: Address' }).click();
  await page.getByText('Copied.').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), mcp);
  for (const name of ['Claude', 'ChatGPT', 'Claude Code', 'Cursor', 'VS Code'])
    await connect.getByText(name, { exact: true }).waitFor();
  const guide = page.waitForEvent('popup');
  await connect.getByRole('link', { name: 'The guide' }).click();
  await heading(await guide, 'Assistants').waitFor();
  for (const [size, width] of Object.entries({ wide: 1280, narrow: 390 })) {
    await page.setViewportSize({ width, height: 1200 });
    await connect.scrollIntoViewIfNeeded();
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `connect-${size}-${colorScheme}`);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  }

  await page.route('**/config.json', async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, json: { ...(await response.json()), mcp: '' } });
  });
  await page.reload();
  await page.getByRole('region', { name: 'Connected apps' }).waitFor();
  assert.equal(await connect.count(), 0);
});

test('apps with access are listed, and removed after a question', async (t) => {
  const page = await visit(t);
  const asked = await serve(page);
  await enter(page, await person('Removes'), '/settings');
  const apps = page.getByRole('region', { name: 'Connected apps' });
  await apps.getByText('claude.ai').waitFor();
  await apps.getByText('reads, adds').waitFor();
  await apps.getByText('since 1 Apr 2031').waitFor();
  await apps.getByText(/last used 12 Apr 2031/).waitFor();
  await apps.getByRole('button', { name: 'Remove Claude' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove an app' });
  await picture(page, 'connect-remove');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(asked, []);
  await apps.getByRole('button', { name: 'Remove Claude' }).click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await gone(apps.getByText('claude.ai'));
  assert.deepEqual(asked, ['remove https://claude.ai/client?a=1']);
});

test('apps are listed with the place to which the answer went, as the question named it', async (t) => {
  const page = await visit(t);
  const places = {
    'app.example:8443': 'app.example:8443',
    localhost: 'an app on this computer',
    '127.0.0.1': 'an app on this computer',
    '[::1]': 'an app on this computer',
    'cursor:': 'an app on this computer that opens cursor: links',
  };
  const grants = Object.keys(places).map((host) => ({
    ...grant,
    client: { ...grant.client, id: host, name: `App of ${host}`, host, registration_type: 'dynamic' },
  }));
  await serve(page, { grants });
  await enter(page, await person('Places'), '/settings');
  const apps = page.getByRole('region', { name: 'Connected apps' });
  for (const [host, place] of Object.entries(places)) {
    const app = apps.getByRole('listitem').filter({ hasText: `App of ${host}` });
    await app.getByText(place, { exact: true }).waitFor();
  }
  for (const [size, width] of Object.entries({ wide: 1280, narrow: 390 })) {
    await page.setViewportSize({ width, height: 1200 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await apps.scrollIntoViewIfNeeded();
    await picture(page, `connect-apps-${size}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  }
});

test('a token is made, shown once and revoked', async (t) => {
  const page = await visit(t, { permissions: ['clipboard-read', 'clipboard-write'] });
  const asked = await serve(page, { grants: [] });
  await enter(page, await person('Scripts'), '/settings');
  const tokens = page.getByRole('region', { name: 'Personal access tokens' });
  await tokens.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New token' });
  await dialog.getByLabel('Name').fill('Laptop');
  await dialog.getByLabel('Read what you can read').uncheck();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await dialog.getByRole('alert').getByText('Choose what the token may do.').waitFor();
  await dialog.getByLabel('Read what you can read').check();
  await dialog.getByLabel('Ask questions of your interviews, which costs money').check();
  await dialog.getByLabel('Expires in').selectOption('30 days');
  await picture(page, 'connect-token');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  assert.equal(await dialog.getByLabel('The token', { exact: true }).inputValue(), 'rsp_secret');
  assert.deepEqual(asked.pop(), {
    name: 'Laptop',
    scopes: ['research:read', 'research:ask'],
    expires_in: 30 * 24 * 60 * 60,
  });
  await dialog.getByText('Keep it like a password').waitFor();
  await dialog.getByRole('status').getByLabel('The token', { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => getSelection().toString()), 'rsp_secret'); // it has the focus
  await page.mouse.click(5, 5); // beside the dialog
  await dialog.getByRole('button', { name: 'Copy: The token' }).click();
  await page.getByText('Copied.').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'rsp_secret');
  for (const [size, width] of Object.entries({ wide: 1280, narrow: 390 })) {
    await page.setViewportSize({ width, height: 860 });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `connect-token-made-${size}-${colorScheme}`);
    }
  }
  await dialog.getByRole('button', { name: 'Done' }).click();
  assert.equal(await page.getByText('rsp_secret').count(), 0);
  await tokens.getByText('reads, asks').waitFor();
  await tokens.getByRole('button', { name: 'Revoke Laptop' }).click();
  await page
    .getByRole('dialog', { name: 'Revoke a token' })
    .getByRole('button', { name: 'Revoke', exact: true })
    .click();
  await gone(tokens.getByText('Laptop'));
  assert.deepEqual(asked, ['DELETE 1']);
});

test('many tokens, some expired, with long names, stay readable', async (t) => {
  const page = await visit(t, { width: 390 });
  const tokens = Array.from({ length: 50 }, (_, i) => ({
    id: String(i),
    name: i === 0 ? 'x'.repeat(100) : `Token ${i}`,
    scopes: ['research:read', 'research:later'],
    created_at: '2021-04-12T10:00:00Z',
    expires_at: i === 1 ? '2021-05-12T10:00:00Z' : '2091-05-12T10:00:00Z',
    last_used_at: null,
  }));
  await serve(page, { tokens });
  await enter(page, await person('Many'), '/settings');
  const list = page.getByRole('region', { name: 'Personal access tokens' });
  await list.getByText('expired on 12 May 2021').waitFor();
  assert.equal(await list.getByRole('listitem').count(), 50);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  await heading(page, 'Settings').waitFor();
});

test('a token that was made works, until it is revoked', async (t) => {
  const page = await visit(t);
  const one = await person('Makes');
  await one.project('A hypothesis to read.');
  await enter(page, one, '/settings');
  const tokens = page.getByRole('region', { name: 'Personal access tokens' });
  await tokens.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New token' });
  await dialog.getByLabel('Name').fill('A script');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const token = await dialog.getByLabel('The token', { exact: true }).inputValue();
  assert.match(token, /^rsp_[\w-]{43}$/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await tokens.getByText('reads', { exact: true }).waitFor();
  assert.equal(await callTool(token), 200);
  await tokens.getByRole('button', { name: 'Revoke A script' }).click();
  await page
    .getByRole('dialog', { name: 'Revoke a token' })
    .getByRole('button', { name: 'Revoke', exact: true })
    .click();
  await gone(tokens.getByText('A script'));
  await eventually(async () => (await callTool(token)) === 401, 3000);
});

test('who signed in long ago proves it before a token is made', async (t) => {
  const page = await visit(t);
  const one = await person('Long ago');
  await enter(page, one, '/settings');
  let asked = 0;
  await page.route('**/auth/v1/tokens', (route) => {
    if (route.request().method() !== 'POST' || asked++ > 0) return route.fallback();
    const json = { code: 400, error_code: 'reauthentication_needed', msg: 'Sign in again.' };
    return route.fulfill({ status: 400, json });
  });
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New token' });
  await dialog.getByLabel('Name').fill('Later');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const prove = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await prove.getByLabel('Your password').fill(one.password);
  await prove.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByLabel('The token', { exact: true }).waitFor();
});
