// Second factors and sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base, enter, eventually, gone, heading, linkTo, person, picture, totp, visit } from './harness.js';

// password signs in as far as the form for the code.
async function password(page, one) {
  await page.goto(base + '/');
  await page.getByLabel('E-mail').fill(one.email);
  await page.getByLabel('Password').fill(one.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Enter a code').waitFor();
}

async function code(page, text) {
  await page.getByRole('textbox', { name: 'Code' }).fill(text);
  await page.getByRole('button', { name: 'Continue' }).click();
}

const inside = (page) => page.locator('nav.places').waitFor({ state: 'attached' });

test('an app is added, asked for at sign-in, required by a workspace, and removed', async (t) => {
  const page = await visit(t);
  const owner = await person('Owner');
  const { workspace } = await owner.project();
  await enter(page, owner, '/settings');
  await page.getByRole('button', { name: 'Add an app' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('My phone');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  const secret = await page.locator('.secret').textContent();
  await page.getByText('Connected apps and personal access tokens then see nothing').waitFor();
  await picture(page, 'factor-add');
  await page.getByRole('textbox', { name: 'Code' }).fill('aaaaaa');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page
    .getByRole('alert')
    .getByText(/This code is wrong/)
    .waitFor();
  await page.getByRole('textbox', { name: 'Code' }).fill(totp(secret));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  const codes = await page.locator('.codes li').allTextContents();
  assert.equal(codes.length, 10);
  await page.mouse.click(5, 5); // beside the dialog
  await picture(page, 'factor-codes');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('10 recovery codes left.').waitFor();
  await picture(page, 'factor-settings');

  await page.goto(`${base}/workspaces/${workspace.slug}`);
  await page.getByLabel('Require a second factor').check();
  await page.getByText('Members now need a second factor.').waitFor();

  const elsewhere = await visit(t);
  await password(elsewhere, owner);
  await picture(elsewhere, 'factor-code');
  await code(elsewhere, 'aaaa-aaaa-aaaa-aaaa');
  await elsewhere
    .getByRole('alert')
    .getByText(/This code is wrong/)
    .waitFor();
  await code(elsewhere, codes[0]);
  await inside(elsewhere);
  await elsewhere.getByRole('link', { name: workspace.name }).first().waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  await password(page, owner);
  await page.reload();
  await heading(page, 'Enter a code').waitFor(); // the session goes on, still without the factor
  await code(page, totp(secret, 1));
  await inside(page);

  await page.goto(`${base}/workspaces/${workspace.slug}`);
  await page.getByLabel('Require a second factor').uncheck();
  await page.getByText('A second factor is no longer required.').waitFor();
  await page.goto(base + '/settings');
  await page.getByRole('button', { name: 'Remove My phone' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('signing in also takes a code').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  await enter(page, owner, '/settings');
});

test('a member without a second factor learns which workspace needs one', async (t) => {
  const page = await visit(t);
  const owner = await person('Keeper');
  const guest = await person('Guest');
  const { workspace } = await owner.project();
  await owner.call('POST', '/rest/v1/workspace_invitations', {
    workspace_id: workspace.id,
    email: guest.email,
    role: 'editor',
  });
  const [invitation] = await guest.call('POST', '/rest/v1/rpc/my_invitations', {});
  await guest.call('POST', '/rest/v1/rpc/accept_invitation', { invitation: invitation.id });
  const factor = await owner.call('POST', '/auth/v1/factors', { factor_type: 'totp' });
  const challenge = await owner.call('POST', `/auth/v1/factors/${factor.id}/challenge`);
  const { access_token } = await owner.call('POST', `/auth/v1/factors/${factor.id}/verify`, {
    challenge_id: challenge.id,
    code: totp(factor.totp.secret),
  });
  await owner
    .as(access_token)
    .call('PATCH', `/rest/v1/workspaces?id=eq.${workspace.id}`, { require_mfa: true });
  await enter(page, guest);
  await page.getByRole('region', { name: 'Locked workspace' }).getByText(workspace.name).waitFor();
  await picture(page, 'factor-locked');
  assert.equal(await page.getByRole('link', { name: workspace.name }).count(), 0);
});

test('the second factor of a workspace stays chosen while that is saved', async (t) => {
  const page = await visit(t);
  const owner = await person('Chooser');
  const { workspace } = await owner.project();
  await owner.call('POST', '/rest/v1/workspace_invitations', {
    workspace_id: workspace.id,
    email: 'late@example.com',
    role: 'editor',
  });
  const factor = await owner.call('POST', '/auth/v1/factors', { factor_type: 'totp' });
  const challenge = await owner.call('POST', `/auth/v1/factors/${factor.id}/challenge`);
  await owner.call('POST', `/auth/v1/factors/${factor.id}/verify`, {
    challenge_id: challenge.id,
    code: totp(factor.totp.secret),
  });
  await password(page, owner);
  await code(page, totp(factor.totp.secret, 1));
  await inside(page);
  const held = {};
  for (const [name, pattern] of [
    ['invitations', /\/rest\/v1\/workspace_invitations\?/],
    ['saved', /\/rest\/v1\/workspaces\?/],
  ])
    await page.route(pattern, (route) => {
      held[name] = () => route.continue();
    });
  await page.goto(`${base}/workspaces/${workspace.slug}`);
  const box = page.getByLabel('Require a second factor');
  await box.click();
  await eventually(() => held.invitations && held.saved);
  await held.invitations();
  await page.getByText('late@example.com').waitFor(); // the view is drawn again
  assert.equal(await box.isChecked(), true);
  await held.saved();
  await page.getByText('Members now need a second factor.').waitFor();
  assert.equal(await box.isChecked(), true);
});

test('sessions are listed, and ended one by one', async (t) => {
  const [page, other] = [await visit(t), await visit(t)];
  const one = await person('Traveller');
  await enter(page, one, '/settings');
  await enter(other, one, '/settings');
  await page.reload();
  const sessions = page.getByRole('region', { name: 'Where you are signed in' });
  await sessions.getByText('this browser').waitFor();
  await sessions.getByRole('button', { name: /^End the session of Chrome/ }).click();
  await gone(sessions.getByRole('button', { name: /^End the session of Chrome/ }));
  await other.reload();
  await heading(other, 'Sign in').waitFor();
  await page.reload();
  await heading(page, 'Settings').waitFor();
});

test('a link signs in at once in the browser that requested it', async (t) => {
  const page = await visit(t);
  const one = await person('Forgetful');
  await page.goto(base + '/');
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await page.getByLabel('E-mail').fill(` ${one.email.toUpperCase()}`);
  await page.getByRole('button', { name: 'Send link' }).click();
  await heading(page, 'One more step').waitFor();
  await page.goto(await linkTo(one.email));
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Settings').waitFor();
  assert.equal(new URL(page.url()).hash, '');
});

test('a link does not replace a session without a question', async (t) => {
  const page = await visit(t);
  const [victim, attacker] = [await person('Victim'), await person('Attacker')];
  await enter(page, victim, '/settings');
  const { refresh_token } = await attacker.signIn();
  await page.goto(`${base}/#refresh_token=${refresh_token}&access_token=x&type=signup`);
  await heading(page, 'Sign in by this link?').waitFor();
  await page.getByText(attacker.email).waitFor();
  await picture(page, 'link-ask');
  await page.getByRole('button', { name: 'Not my account' }).click();
  await page.locator('.self').getByText(victim.email).waitFor();

  const again = await attacker.signIn();
  await page.goto('about:blank');
  await page.goto(`${base}/#refresh_token=${again.refresh_token}&type=signup`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('.self').getByText(attacker.email).waitFor();
});

test('a link with an error leaves the session as it is, and its text is not shown', async (t) => {
  const page = await visit(t);
  const victim = await person('Steady');
  const text = 'Your+account+is+suspended.+Call+0800+1234';
  const follow = async (fragment) => {
    await page.goto('about:blank');
    await page.goto(`${base}/#${fragment}`);
  };
  const shown = () => page.locator('body').textContent();
  const fragments = [
    [`error=access_denied&error_code=otp_expired&error_description=${text}`, 'This link has expired'],
    [`error=access_denied&error_description=${text}`, 'This link was refused.'],
    [`error_code=constructor&error_description=${text}`, 'This link did not work.'],
    [`error=${text}&error_code=${text}`, 'This link did not work.'],
    [`error_description=${text}`, 'This link did not work.'],
    [`refresh_token=none&error_description=${text}`, 'This link has expired'],
  ];
  for (const [fragment, says] of fragments) {
    await follow(fragment);
    await page.getByText(says).waitFor();
    await heading(page, 'Sign in').waitFor();
    assert.doesNotMatch(await shown(), /suspended/);
    assert.equal(new URL(page.url()).hash, '');
  }

  await enter(page, victim, '/settings');
  for (const [fragment, says] of fragments) {
    await follow(fragment);
    await page.getByText(says).waitFor();
    await inside(page);
    assert.doesNotMatch(await shown(), /suspended/);
  }
  await follow(`message=${text}`);
  await page.getByText('Confirmed.').waitFor();
  await inside(page);
  assert.doesNotMatch(await shown(), /suspended/);
});
