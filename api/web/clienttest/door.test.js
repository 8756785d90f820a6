// Signing up, in and out; the session; what comes over the wire.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, enter, eventually, figure, gone, heading, person, quiet, visit } from './harness.js';

const FIRST_VIEW_BYTES = 100 << 10;

test('a newcomer makes an account, a workspace and a project by the keyboard alone', async (t) => {
  const page = await visit(t);
  await page.goto(base);
  await page.getByRole('button', { name: 'Create an account' }).waitFor();
  // From the heading, which has the focus, to the way in.
  const tabTo = async (locator) => {
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      if (await locator.evaluate((element) => element === document.activeElement)) return;
    }
    assert.fail(`the keyboard does not reach ${locator}`);
  };
  await tabTo(page.getByRole('button', { name: 'Create an account' }));
  await page.keyboard.press('Enter');
  await heading(page, 'Create an account').waitFor();
  await tabTo(page.getByLabel('Your name'));
  await page.keyboard.type('Nia Newcomer');
  await tabTo(page.getByLabel('E-mail'));
  await page.keyboard.type(`nia-${process.pid}@example.com`);
  await tabTo(page.getByLabel('Password'));
  await page.keyboard.type('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /Welcome/ }).waitFor();
  await tabTo(page.getByLabel('Workspace'));
  await page.keyboard.type('Ledgerly');
  await page.keyboard.press('Enter');
  await tabTo(page.getByLabel('Project', { exact: true }));
  await page.keyboard.type('Receipts');
  await page.keyboard.press('Enter');
  await heading(page, 'Hypotheses').waitFor();
  await tabTo(page.getByRole('button', { name: 'New hypothesis' }));
  await page.keyboard.press('Enter');
  assert.ok(await page.getByLabel('Statement').evaluate((element) => element === document.activeElement), 'a dialog begins at its first field');
  await page.keyboard.type('Chasing receipts takes days.');
  await page.keyboard.press('Escape');
  await gone(page.getByRole('dialog'));
  assert.ok(await page.getByRole('button', { name: 'New hypothesis' }).evaluate((element) => element === document.activeElement), 'the focus goes back to where it was');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Chasing receipts takes days.');
  await tabTo(page.getByRole('button', { name: 'Add hypothesis' }));
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Chasing receipts takes days.' }).waitFor();
});

test('what is wrong is said in plain words', async (t) => {
  const page = await visit(t);
  const known = await person('Known');
  await page.goto(base);
  await page.getByLabel('E-mail').fill(known.email);
  await page.getByLabel('Password').fill('wrong horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('E-mail or password is wrong.').waitFor();
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Known');
  await page.getByLabel('E-mail').fill(known.email);
  await page.getByLabel('Password').fill('short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('alert').getByText(/at least 8 characters/).waitFor();
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('alert').getByText(/There is an account for this address/).waitFor();
});

test('a mail for a new password is offered, and does not tell whether there is an account', async (t) => {
  const page = await visit(t);
  await page.goto(base);
  await page.getByRole('button', { name: 'Forgot the password?' }).click();
  await page.getByLabel('E-mail').fill('nobody-at-all@example.com');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('If there is an account for this address').waitFor();
});

test('a session outlives a reload, and leaves nothing that a script could read', async (t) => {
  const page = await visit(t);
  const one = await person('Stays');
  const project = await one.project();
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  await page.reload();
  await heading(page, 'Hypotheses').waitFor();
  const kept = await page.evaluate(async () => {
    const open = indexedDB.open('research');
    const database = await new Promise((resolve) => { open.onsuccess = () => resolve(open.result); });
    const get = database.transaction('session').objectStore('session').get('refresh');
    const row = await new Promise((resolve) => { get.onsuccess = () => resolve(get.result); });
    const exported = await crypto.subtle.exportKey('raw', row.key).then(() => 'handed out', () => 'refused');
    return { storages: localStorage.length + sessionStorage.length, cookies: document.cookie, exported, fields: Object.keys(row).sort() };
  });
  assert.deepEqual(kept, { storages: 0, cookies: '', exported: 'refused', fields: ['iv', 'key', 'sealed'] });
});

test('an access token that the server no longer takes is renewed without a word', async (t) => {
  const page = await visit(t);
  const one = await person('Renewed');
  const project = await one.project('A hypothesis that is shown');
  await enter(page, one);
  let refused = 0;
  await page.route('**/rest/v1/hypotheses?*', (route) => {
    if (refused++ > 0) return route.continue();
    return route.fulfill({ status: 401, json: { code: 'PGRST303', message: 'JWT expired' } });
  });
  const renewal = page.waitForRequest(/grant_type=refresh_token/);
  await page.getByRole('navigation', { name: 'Projects' }).getByRole('link', { name: 'Receipts' }).click();
  await page.getByRole('link', { name: 'A hypothesis that is shown' }).waitFor();
  await renewal;
  assert.equal(new URL(page.url()).pathname, project.path);
});

test('a session that the server ended leads to the door, and back to where one was', async (t) => {
  const page = await visit(t);
  const one = await person('Ended');
  const project = await one.project();
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  await one.call('POST', '/auth/v1/logout?scope=global');
  await page.reload();
  await page.getByText('Your session has ended').waitFor();
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
});

test('signing out ends the session here and in other tabs', async (t) => {
  const page = await visit(t);
  const one = await person('Leaves');
  await enter(page, one);
  const other = await page.context().newPage();
  await other.goto(base);
  await heading(other, 'Projects').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  await other.getByText('You were signed out in another tab.').waitFor();
  await page.reload();
  await heading(page, 'Sign in').waitFor();
});

test('the first view is small, comes at once and from one server', async (t) => {
  const page = await visit(t);
  const one = await person('Small');
  const project = await one.project('One hypothesis');
  await enter(page, one, project.path);
  await page.getByRole('link', { name: 'One hypothesis' }).waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  let requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests++;
  });
  await page.reload();
  await page.getByRole('link', { name: 'One hypothesis' }).waitFor();
  await quiet(page);
  const [firstBytes, firstRequests] = [bytes, requests];
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
  figure(t, `first view: ${firstBytes} bytes over the wire, headers and data included, of at most ${FIRST_VIEW_BYTES}; ${firstRequests} requests; first paint after ${Math.round(paint)} ms`);
  assert.ok(firstBytes < FIRST_VIEW_BYTES, `${firstBytes} bytes`);
  // The other views' code comes by itself, so that a lost connection does not close them.
  await eventually(() => requests > firstRequests);
  await quiet(page);
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Settings' }).click();
  await heading(page, 'Settings').waitFor();
});

test('a server that cannot be reached is said so, and found again by itself', async (t) => {
  const page = await visit(t);
  const one = await person('Patient');
  const project = await one.project();
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  let away = true;
  await page.route('**/auth/v1/token*', (route) => (away ? route.abort() : route.continue()));
  await page.reload();
  await heading(page, 'The server cannot be reached').waitFor();
  away = false;
  await heading(page, 'Hypotheses').waitFor();
  await eventually(async () => (await page.title()) === 'Hypotheses · Research');
});
