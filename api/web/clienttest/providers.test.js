// Sign-in with accounts of a provider.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { begin, register } from './apps.js';
import {
  base,
  enter,
  eventually,
  gone,
  heading,
  linkTo,
  person,
  picture,
  quiet,
  totp,
  visit,
} from './harness.js';
import { allow, provided } from './provider.js';

const acme = provided();
const name = '\u2068Acme\u2069'; // in sentences, its direction has no effect on them
const inside = (page) => page.locator('nav.places').waitFor({ state: 'attached' });
const button = (page) => page.getByRole('button', { name: 'Continue with Acme', exact: true });
const ways = (page) => page.getByRole('region', { name: 'Ways to sign in' });
const leading = (t, options) => visit(t, { leadsTo: [acme], ...options });

let accounts = 0;
const account = (whose) => ({
  name: whose,
  email: `${whose.toLowerCase()}-${process.pid}-${++accounts}@acme.example`,
});

// arrive signs in by the button, and comes back to the address.
async function arrive(page, one, path = '/') {
  await page.goto(base + path);
  await button(page).click();
  await allow(page, one);
  await inside(page);
}

async function leave(page) {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
}

// focused waits until an element has the focus.
const focused = (locator) =>
  eventually(() => locator.evaluate((element) => element === document.activeElement));

// stored returns how much a tab stores.
const stored = (page) => page.evaluate(() => sessionStorage.length);

// reauthenticates has the next request of a kind answered as if the sign-in was long ago.
async function reauthenticates(page, address, method) {
  let asked = false;
  await page.route(address, (route) => {
    if (asked || route.request().method() !== method) return route.fallback();
    asked = true;
    return route.fulfill({ status: 403, json: { error_code: 'reauthentication_needed', msg: 'Sign in.' } });
  });
}

test('a button makes an account, and signs in to it again, where one was', async (t) => {
  const page = await leading(t);
  const one = account('Ada');
  await arrive(page, one, '/settings?from=here');
  assert.equal(page.url(), `${base}/settings?from=here`);
  assert.equal(await stored(page), 0);
  await heading(page, 'Settings').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Ada the first');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name saved.').waitFor();
  await page.getByText(`Signed in as ${one.email}.`).waitFor();
  assert.equal(await page.getByText('Your address is not confirmed').count(), 0);
  await page.reload();
  await heading(page, 'Settings').waitFor();
  await leave(page);

  await page.getByRole('button', { name: 'Create an account' }).click();
  await button(page).dblclick();
  await allow(page, one);
  await heading(page, 'Settings').waitFor();
  await eventually(
    async () => (await page.getByLabel('Name', { exact: true }).inputValue()) === 'Ada the first',
  );
});

test('who says no at the provider is told so, and can try again', async (t) => {
  const page = await leading(t);
  const one = account('Deniz');
  await page.goto(`${base}/?kept=1`);
  await button(page).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText(`${name} did not sign you in: you canceled,`).waitFor();
  assert.equal(page.url(), `${base}/?kept=1`);
  assert.equal(await page.getByText('The words of the provider').count(), 0);
  await picture(page, 'provider-denied');
  await button(page).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await page.goBack(); // the button works again, whether the browser kept the page or not
  await button(page).click();
  await allow(page, one);
  await inside(page);
});

test('an account is connected and disconnected in the settings', async (t) => {
  const page = await leading(t);
  const one = await person('Linker');
  const theirs = account('Elsewhere');
  await enter(page, one, '/settings');
  await ways(page).getByText('E-mail and password').waitFor();
  await page.getByRole('button', { name: 'Connect Acme…' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText(`You did not connect ${name}.`).waitFor();
  await reauthenticates(page, '**/user/identities/authorize?*', 'GET');
  await page.getByRole('button', { name: 'Connect Acme…' }).click();
  await page.getByLabel('Your password').fill(one.password);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await allow(page, theirs);
  await page.getByText(`${name} is connected.`).waitFor();
  await heading(page, 'Settings').waitFor();
  await focused(ways(page).getByRole('heading'));
  await ways(page).getByText(theirs.email).waitFor();
  const [email, external] = [0, 1].map((n) => ways(page).getByRole('listitem').nth(n));
  await external.getByText('last used').waitFor();
  assert.equal(await email.getByText('last used').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Connect Acme…' }).count(), 0);
  assert.equal((await one.call('GET', '/auth/v1/sessions')).sessions.length, 2, 'the session goes on');
  await quiet(page);
  await ways(page).scrollIntoViewIfNeeded();
  await picture(page, 'provider-settings');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await ways(page).scrollIntoViewIfNeeded();
  await picture(page, 'provider-settings-phone');
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: 'light' });
  await leave(page);

  await arrive(page, theirs, '/settings');
  await page.getByText(`Signed in as ${one.email}.`).waitFor();
  await page.getByRole('button', { name: 'Disconnect Acme' }).click();
  const dialog = page.getByRole('dialog', { name: 'Disconnect Acme' });
  await dialog.getByText(`sign in with the Acme account ${theirs.email}.`).waitFor();
  await dialog.getByText('You can still sign in with your e-mail address and password.').waitFor();
  await picture(page, 'provider-disconnect');
  await reauthenticates(page, '**/user/identities/*', 'DELETE');
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByLabel('Your password').fill(one.password);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText(`${name} is disconnected.`).waitFor();
  await focused(ways(page).getByRole('heading'));
  await gone(ways(page).getByText(theirs.email));
  await page.getByRole('button', { name: 'Connect Acme…' }).waitFor();
});

test('the only way to sign in stays, until there is a password', async (t) => {
  const page = await leading(t);
  const one = account('Solo');
  await arrive(page, one, '/settings');
  await ways(page).getByText('Acme cannot be disconnected').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Disconnect Acme' }).count(), 0);
  await ways(page).scrollIntoViewIfNeeded();
  await picture(page, 'provider-only');
  const card = await ways(page).elementHandle();
  // An old sign-in is renewed by a code, since there is no password.
  await reauthenticates(page, '**/auth/v1/user', 'PUT');
  await page.getByLabel('New password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Set a password' }).click();
  await page.getByText(`We will send a code to ${one.email}.`).waitFor();
  await picture(page, 'provider-prove');
  await page.getByRole('button', { name: 'Send the code' }).click();
  await focused(page.getByLabel('Code', { exact: true }));
  await page.getByLabel('Code', { exact: true }).fill(await codeTo(one.email));
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Password set.').waitFor();
  assert.equal(await card.evaluate((element) => element.isConnected), true, 'the card stays');
  await page.getByRole('button', { name: 'Change password' }).waitFor();
  await page.getByRole('button', { name: 'Disconnect Acme' }).waitFor();
  await page.getByRole('button', { name: 'Remove the password' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove the password' });
  await dialog.getByText(`You can still sign in with ${name}.`).waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Password removed.').waitFor();
  await focused(ways(page).getByRole('heading'));
  await page.getByRole('button', { name: 'Set a password' }).waitFor();
  await ways(page).getByText('Acme cannot be disconnected').waitFor();
});

test('an address that the provider does not vouch for is confirmed by a link', async (t) => {
  const page = await leading(t);
  const one = { ...account('Unsure'), verified: false };
  await arrive(page, one);
  const unproven = page.getByRole('region', { name: 'Your address is not confirmed' });
  await unproven.getByText(one.email).waitFor();
  const first = await linkTo(one.email);
  await unproven.getByRole('button', { name: 'Send the link again' }).click();
  await page.goto(await linkTo(one.email, first));
  await page.getByRole('button').click();
  await inside(page);
  await quiet(page);
  assert.equal(await unproven.count(), 0);
});

test('who arrives beside the account with their address learns how to get to it', async (t) => {
  const page = await leading(t);
  const owner = await person('Owned');
  const theirs = { name: 'Beside', email: owner.email, verified: false };
  await arrive(page, theirs);
  await page.getByText('This account has no e-mail address.').waitFor();
  await page.getByText('Beside', { exact: true }).waitFor();
  assert.equal(await page.getByText('Your address is not confirmed').count(), 0);
  await quiet(page);
  await picture(page, 'provider-beside');
  await leave(page);
  await enter(page, owner, '/settings');
  const connect = async () => {
    await page.getByRole('button', { name: 'Connect Acme…' }).click();
    await allow(page, theirs);
  };
  await connect();
  await page.getByText(`This ${name} account signs in to another account here.`).waitFor();
  await leave(page);
  await arrive(page, theirs, '/settings');
  await page.getByRole('button', { name: 'Delete account…' }).click();
  await page.getByLabel('Type “delete” to confirm').fill('delete');
  await page.getByRole('button', { name: 'Delete account', exact: true }).click();
  await page.getByText('Your account is deleted.').waitFor();
  await enter(page, owner, '/settings');
  await connect();
  await page.getByText(`${name} is connected.`).waitFor();
});

test('an app that asks for access is answered after the way to the provider', async (t) => {
  const page = await leading(t);
  const redirect = 'https://claude.ai/api/mcp/auth_callback';
  await page.goto(begin(await register('Claude', redirect), redirect).address);
  await page.getByText('An app asks for access to your account.').waitFor();
  await button(page).click();
  await allow(page, account('Consenting'));
  await heading(page, 'Give this app access?').waitFor();
});

test('what was begun before another sign-in is forgotten', async (t) => {
  const page = await leading(t);
  const one = await person('Both');
  await page.goto(`${base}/#invitation=${crypto.randomUUID()}&invitation_token=mailed`);
  await button(page).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await page.goBack();
  await page.getByText('You are invited to a workspace.').waitFor();
  await page.getByLabel('E-mail').fill(one.email);
  await page.getByLabel('Password').fill(one.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const invitation = page.getByRole('region', { name: 'Invitation' });
  await invitation.getByRole('button', { name: 'Decline' }).click();
  await gone(invitation);
  await page.reload();
  await inside(page);
  await quiet(page);
  assert.equal(await invitation.count(), 0);
});

test('a code that was not asked for in this window signs nobody in', async (t) => {
  const [attacker, page] = [await leading(t), await leading(t)];
  await attacker.goto(base);
  await button(attacker).click();
  let link;
  attacker.on('request', (request) => {
    if (request.url().startsWith(`${base}/?code=`)) link = request.url();
  });
  await attacker.route('**/token?grant_type=pkce', (route) => route.abort()); // the code stays good
  await attacker.getByLabel('Name').fill('Mallory');
  await attacker.getByLabel('Address').fill('mallory@acme.example');
  await attacker.getByRole('button', { name: 'Allow' }).click();
  await eventually(() => link);

  await page.goto(link);
  await page.getByText('was not begun in this window, so it was ignored. Sign in here.').waitFor();
  await heading(page, 'Sign in').waitFor();
  assert.equal(page.url(), `${base}/`);
  const victim = await person('Victim');
  await enter(page, victim, '/settings');
  await page.goto(link.replace('/?', '/settings?and=1&'));
  await page.getByText('so it was ignored. You are still signed in.').waitFor();
  await page.getByText(`Signed in as ${victim.email}.`).waitFor();
  assert.equal(page.url(), `${base}/settings?and=1`);
  // Another one of this window has another verifier.
  await leave(page);
  await button(page).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await page.goto(link);
  await page.getByText(`Signing in with ${name} did not work.`).waitFor();
});

test('a moment without the server loses nothing', async (t) => {
  const page = await leading(t);
  await page.goto(`${base}/settings`);
  await page.route('**/token?grant_type=pkce', (route) => route.abort());
  await button(page).click();
  await allow(page, account('Patient'));
  await heading(page, 'The server cannot be reached').waitFor();
  assert.equal(page.url(), `${base}/settings`);
  await page.reload();
  await heading(page, 'The server cannot be reached').waitFor();
  await page.unroute('**/token?grant_type=pkce');
  await heading(page, 'Settings').waitFor();
  assert.equal(await stored(page), 0);
});

test('errors are told in words of the page, and only where something was begun', async (t) => {
  const page = await leading(t);
  const instead = `If you have an account here, sign in to it another way, and connect ${name} in its`;
  const failed = (code) => `?error=invalid_request&error_code=${code}&error_description=Call+0800+now`;
  await page.goto(`${base}/${failed('bad_oauth_state')}`);
  await heading(page, 'Sign in').waitFor();
  assert.equal(page.url(), `${base}/`);
  await quiet(page);
  assert.equal(await page.getByRole('status').filter({ hasText: /\S/ }).count(), 0);
  for (const [code, words] of [
    ['bad_oauth_state', 'was begun in another window or took too long. Try again.'],
    ['flow_state_expired', 'took too long, or was used already. Try again.'],
    ['signup_disabled', `of this server for one. ${instead}`],
    ['email_address_not_authorized', `Ask its operator. ${instead}`],
    ['provider_email_needs_verification', `If we sent you a link, follow it first. ${instead}`],
    ['identity_already_exists', 'or delete that account if you do not need it.'],
    ['email_exists', `Sign in to that one, and connect ${name} there.`],
    ['temporarily_unavailable', `Signing in with ${name} does not work at the moment.`],
    ['bad_oauth_callback', `Signing in with ${name} did not work.`],
    ['constructor', `Signing in with ${name} did not work.`],
  ]) {
    await button(page).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await page.goto(`${base}/${failed(code)}&and=1`);
    await page.getByText(words).waitFor();
    assert.equal(page.url(), `${base}/?and=1`, code);
    assert.equal(await page.getByText('0800').count(), 0);
  }
});

test('an invitation that was followed, and what was typed, outlive the way to the provider', async (t) => {
  const page = await leading(t);
  const one = account('Invited');
  const invitation = crypto.randomUUID();
  await page.goto(`${base}/#invitation=${invitation}&invitation_token=mailed`);
  await page.getByText('You are invited to a workspace.').waitFor();
  await button(page).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('You are invited to a workspace.').waitFor();
  await button(page).click();
  await allow(page, one);
  await inside(page);
  let sent;
  await page.route('**/rest/v1/rpc/accept_invitation', (route) => {
    sent = route.request().postDataJSON();
    return route.fulfill({ json: true });
  });
  await page.getByRole('region', { name: 'Invitation' }).getByRole('button', { name: 'Join' }).click();
  await page.getByText('You are now a member.').waitFor();
  assert.deepEqual(sent, { invitation, token: 'mailed' });

  await page.getByLabel('Workspace').fill('A name that is long to type');
  await page.evaluate(() => new BroadcastChannel('session').postMessage('out')); // as another tab would
  await page.getByText('What you typed is kept').waitFor();
  await button(page).click();
  await allow(page, one);
  await inside(page);
  assert.equal(await page.getByLabel('Workspace').inputValue(), 'A name that is long to type');
  await page.getByText('What you typed is here again.').waitFor();
});

test('a second factor is asked for, and stays when an account is connected', async (t) => {
  const page = await leading(t);
  const one = await person('Factors');
  const factor = await one.call('POST', '/auth/v1/factors', { factor_type: 'totp' });
  const challenge = await one.call('POST', `/auth/v1/factors/${factor.id}/challenge`);
  await one.call('POST', `/auth/v1/factors/${factor.id}/verify`, {
    challenge_id: challenge.id,
    code: totp(factor.totp.secret, -1),
  });
  const enterCode = async (periods) => {
    await heading(page, 'Enter a code').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(totp(factor.totp.secret, periods));
    await page.getByRole('button', { name: 'Continue' }).click();
    await inside(page);
  };
  await page.goto(`${base}/settings`);
  await page.getByLabel('E-mail').fill(one.email);
  await page.getByLabel('Password').fill(one.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await enterCode(0);
  await page.getByRole('button', { name: 'Connect Acme…' }).click();
  const theirs = account('Factored');
  await allow(page, theirs);
  await page.getByText(`${name} is connected.`).waitFor();
  await heading(page, 'Settings').waitFor(); // without another code
  await leave(page);
  await button(page).click();
  await allow(page, theirs);
  await enterCode(1);
  await heading(page, 'Settings').waitFor();
});

test('an account without an address is shown, and can be deleted', async (t) => {
  const page = await leading(t);
  await arrive(page, { name: `Nameless ${process.pid}` });
  const note = page.getByRole('region', { name: 'Your account has no e-mail address' });
  await note.getByText('sign in to it as you used to, and connect Acme in its settings.').waitFor();
  await picture(page, 'provider-no-address-home');
  await page.goto(`${base}/settings`);
  await ways(page).getByText('delete this one below.').waitFor();
  await page.getByText('Your account has no e-mail address, so no digests are sent.').waitFor();
  await page.getByText(/^Account created on/).waitFor();
  assert.equal(await page.getByRole('button', { name: /password/ }).count(), 0);
  assert.equal(await page.getByText(/undefined|null/).count(), 0);
  await quiet(page);
  await picture(page, 'provider-no-address');
  await page.getByRole('button', { name: 'Delete account…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await dialog.getByLabel('Type “delete” to confirm').fill('something');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await dialog.getByRole('alert').getByText('Type delete.').waitFor();
  await reauthenticates(page, '**/api/account', 'DELETE');
  await dialog.getByLabel('Type “delete” to confirm').fill('delete');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  const prove = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await prove.getByText('Sign out, sign in again, and try again.').waitFor();
  await prove.getByRole('button', { name: 'Sign out' }).waitFor();
  await picture(page, 'provider-prove-none');
  await prove.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await page.getByText('Your account is deleted.').waitFor();
});

test('without https the buttons are not offered, and the page says why', async (t) => {
  const page = await leading(t);
  await page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined }));
  await page.goto(base);
  const others = '\u2068Google\u2069, \u2068Microsoft\u2069';
  const hint = `To sign in with ${others} or ${name}, open this page over https.`;
  await page.getByText(`you have to sign in again after a reload. ${hint}`).waitFor();
  assert.equal(await button(page).count(), 0);
  await picture(page, 'provider-http');
  await enter(page, await person('Plain'), '/settings');
  await ways(page).getByText('To connect an account, open this page over https.').waitFor();
});

test('too many attempts, and what is wrong with connecting, are told and not repeated', async (t) => {
  const page = await leading(t);
  const one = await person('Connecting');
  await enter(page, one, '/settings');
  const connect = async (then) => {
    await page.getByRole('button', { name: 'Connect Acme…' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await then();
  };
  await connect(() => page.goto(`${base}/settings?error=server_error`));
  const alert = page.getByRole('alert').filter({ hasText: 'Connecting' });
  await alert.getByText(`Connecting ${name} does not work at the moment. Try again later.`).waitFor();
  await connect(() => page.getByRole('button', { name: 'Deny' }).click());
  await page.getByText(`You did not connect ${name}.`).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.route('**/token?grant_type=pkce', (route) => route.fulfill({ status: 429, json: {} }));
  await connect(() => allow(page, account('Many')));
  await page.getByRole('alert').getByText('There were too many attempts.').waitFor();
  await heading(page, 'Settings').waitFor();
  assert.equal(await stored(page), 0);
});

test('what was carried for a sign-in is forgotten with it, and what took too long is', async (t) => {
  const page = await leading(t);
  const carried = () =>
    page.evaluate(async () => {
      const ask = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
      const database = await ask(indexedDB.open('research', 1));
      const names = await ask(database.transaction('session').objectStore('session').getAllKeys());
      database.close();
      return names.filter((one) => one.startsWith('carried'));
    });
  await page.goto(`${base}/#invitation=${crypto.randomUUID()}&invitation_token=mailed`);
  await button(page).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText(`${name} did not sign you in`).waitFor();
  assert.deepEqual(await carried(), []);
  await button(page).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await page.goto(`${base}/nothing`);
  await heading(page, 'Sign in').waitFor();
  assert.equal((await carried()).length, 1);
  assert.equal(await stored(page), 1);
  // Another window begins and ends one of its own.
  const other = await page.context().newPage();
  await other.goto(`${base}/#invitation=${crypto.randomUUID()}&invitation_token=mailed`);
  await button(other).click();
  await other.getByRole('button', { name: 'Deny' }).click();
  await other.getByText(`${name} did not sign you in`).waitFor();
  assert.equal((await carried()).length, 1);
  await page.evaluate(() => {
    const flow = JSON.parse(sessionStorage.getItem('sign-in'));
    sessionStorage.setItem('sign-in', JSON.stringify({ ...flow, until: 0 }));
  });
  await page.reload();
  await heading(page, 'Sign in').waitFor();
  assert.equal(await stored(page), 0);
  assert.deepEqual(await carried(), []);
});

test('the buttons fit on a phone, and in the dark', async (t) => {
  for (const [name, options] of [
    ['phone', { width: 390, height: 844 }],
    ['narrow', { width: 320, height: 700, colorScheme: 'dark' }],
    ['dark', { colorScheme: 'dark' }],
  ]) {
    const page = await leading(t, options);
    await page.goto(base);
    await button(page).waitFor();
    await quiet(page);
    await picture(page, `provider-door-${name}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name} is ${overflow} pixels wider than the window`);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await button(page).waitFor();
    await picture(page, `provider-door-up-${name}`);
    await page.getByRole('button', { name: 'Back to sign in' }).click();
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    assert.equal(await button(page).count(), 0);
  }
});

// codeTo waits for the mail to an address with a code, and returns that.
async function codeTo(email) {
  let found;
  const folder = process.env.MAIL_DIR;
  await eventually(() => {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
    const mails = names.map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
    for (const mail of mails)
      if (mail.includes(`To: <${email}>`)) found = /^\s*(\d{6})\s*$/m.exec(mail)?.[1] ?? found;
    return found;
  });
  return found;
}
