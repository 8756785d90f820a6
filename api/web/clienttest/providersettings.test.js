// What the page says about ways to sign in, where no provider is asked.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, drop, enter, heading, person, picture, quiet, visit } from './harness.js';

const ways = (page) => page.getByRole('region', { name: 'Ways to sign in' });
const acme = 'custom:acme';
const long = 'A provider whose operator has given it a name of sixty chars';

// identity is one of an account of a provider.
const identity = (provider, email) => ({
  identity_id: crypto.randomUUID(),
  provider,
  identity_data: { email },
  created_at: '2026-01-01T00:00:00Z',
  last_sign_in_at: '2026-01-02T00:00:00Z',
});

// changed has what the server answers to a kind of request changed.
const changed = (page, address, change, method = 'GET') =>
  page.route(address, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    const response = await route.fetch();
    return route.fulfill({ response, json: change(await response.json()) });
  });

// owning has the user own identities besides that of the address.
const owning = (page, ...more) =>
  changed(page, '**/auth/v1/user', (user) => ({ ...user, identities: [...user.identities, ...more] }));

test('a link to an account without an address does not show the name of its owner', async (t) => {
  const page = await visit(t);
  const { refresh_token: token } = await (await person('Mallory')).signIn();
  const change = (answer) => ({
    ...answer,
    user: { ...answer.user, email: '', user_metadata: { full_name: 'victim@example.com' } },
  });
  await changed(page, '**/token?grant_type=refresh_token', change, 'POST');
  await page.goto(`${base}/#refresh_token=${token}&type=magiclink`);
  await heading(page, 'Sign in by this link?').waitFor();
  await page.getByText('to an account without an e-mail address. Continue only if you made it:').waitFor();
  assert.equal(await page.getByText('victim').count(), 0);
  await picture(page, 'provider-link');
});

test('accounts of a provider that is no longer offered do not count as ways to sign in', async (t) => {
  const page = await visit(t);
  await owning(page, identity('custom:gone', 'one@gone.example'));
  await enter(page, await person('Left'), '/settings');
  await ways(page).getByText('no longer offered here').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Remove the password' }).count(), 0);
  await page.getByRole('button', { name: 'Disconnect gone' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('with the gone account one@gone.example. You can still sign in').waitFor();
  await dialog.getByText('with your e-mail address and password.').waitFor();
});

test('two accounts of a provider have names of their own', async (t) => {
  const page = await visit(t);
  await owning(page, identity(acme, 'one@acme.example'), identity(acme, 'two@acme.example'));
  await enter(page, await person('Twice'), '/settings');
  await page.getByRole('button', { name: 'Disconnect Acme (two@acme.example)' }).waitFor();
  await page.getByRole('button', { name: 'Disconnect Acme (one@acme.example)' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByText('still sign in with your e-mail address and password or \u2068Acme (two@acme.example)\u2069.')
    .waitFor();
});

test('settings fit on a phone, whatever the names', async (t) => {
  const page = await visit(t, { width: 360, height: 740 });
  await changed(page, '**/auth/v1/settings', (settings) => ({
    ...settings,
    custom_providers: [{ identifier: acme, name: long.replaceAll(' ', '_') }],
    external: { ...settings.external, 'custom:gone': true },
  }));
  await owning(page, identity(acme, `${'a'.repeat(64)}@${'b'.repeat(60)}.example`));
  await enter(page, await person('Narrow'), '/settings');
  await ways(page).getByText('_sixty_').waitFor();
  await quiet(page);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(await overflow(), 0);
  const inner = await ways(page).evaluate((card) => card.scrollWidth - card.clientWidth);
  assert.equal(inner, 0);
  await ways(page).scrollIntoViewIfNeeded();
  await picture(page, 'provider-settings-long');
  await page.getByRole('button', { name: /^Disconnect/ }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth), 0);
  await page.keyboard.press('Escape');
  // Another one, to connect.
  await page.unroute('**/auth/v1/user');
  await page.reload();
  await ways(page)
    .getByRole('button', { name: /^Connect A_provider/ })
    .waitFor();
  await quiet(page);
  assert.equal(await overflow(), 0);
  assert.equal(await ways(page).evaluate((card) => card.scrollWidth - card.clientWidth), 0);
});

test('what the forms need can be asked for again', async (t) => {
  const page = await visit(t);
  await page.route('**/auth/v1/settings', (route) => route.abort());
  await page.goto(base);
  await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
  await page.unroute('**/auth/v1/settings');
  await page.route('**/views/account/providers.js', (route) => route.abort());
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Create an account' }).waitFor();
  await page.getByRole('button', { name: 'Forgot your password?' }).waitFor();
  await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
  await page.unroute('**/views/account/providers.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Continue with Acme' }).waitFor();
});

test('the form stays where it is when the buttons come', async (t) => {
  const page = await visit(t);
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  await page.route('**/views/account/providers.js', async (route) => {
    await opened;
    await route.continue();
  });
  await page.goto(base);
  await page.getByRole('button', { name: 'Create an account' }).waitFor();
  const place = () => page.getByLabel('E-mail').boundingBox();
  const before = await place();
  open();
  await page.getByRole('button', { name: 'Continue with Acme' }).waitFor();
  assert.deepEqual(await place(), before);
});

test('files that wait for their upload are lost on the way to a provider, which the page says', async (t) => {
  const page = await visit(t);
  const one = await person('Waiting');
  const project = await one.project('Chasing receipts takes days.');
  await enter(page, one, `${project.path}/interviews`);
  await page.route('**/api/import*', (route) => route.abort());
  await drop(page, [['first.txt', 'Dana: We chase receipts.\n']]);
  await page.getByRole('dialog').waitFor();
  await page.evaluate(() => new BroadcastChannel('session').postMessage('out')); // as another tab would
  await page.getByText('Your files are kept only if you sign in with your password.').waitFor();
  await picture(page, 'provider-files');
});

test('a page from before the sign-in that the browser shows again is reloaded', async (t) => {
  const page = await visit(t);
  await page.addInitScript(() => delete window.BroadcastChannel); // a page that is not shown hears nothing
  await page.goto(base);
  await heading(page, 'Sign in').waitFor();
  await enter(await page.context().newPage(), await person('Back'));
  const show = (persisted) =>
    page.evaluate(
      (p) => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: p })),
      persisted,
    );
  await show(false);
  await quiet(page);
  await heading(page, 'Sign in').waitFor();
  await show(true);
  await page.locator('nav.places').waitFor({ state: 'attached' });
});

test('a question that cannot be loaded fails where the answer was needed, and can be repeated', async (t) => {
  const page = await visit(t);
  await page.route('**/views/account/prove.js', (route) => route.abort());
  const one = await person('Asked');
  await enter(page, one, '/settings');
  await page.route('**/auth/v1/user', (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    return route.fulfill({ status: 403, json: { error_code: 'reauthentication_needed', msg: 'Sign in.' } });
  });
  await page.getByLabel('New password').fill('another correct horse');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
  assert.equal(await page.getByRole('main').count(), 1);
  await page.unroute('**/views/account/prove.js');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
});
