// Workspaces and their members; settings; personas and questions.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  base,
  enter,
  eventually,
  gone,
  heading,
  keepMessages,
  person,
  picture,
  prove,
  quiet,
  visit,
} from './harness.js';
import { joined } from './judged.js';

test('a member is invited, joins, gets another role and is removed', async (t) => {
  const page = await visit(t);
  const owner = await person('Olga Owner');
  const guest = await person('Gus Guest');
  const project = await owner.project('A belief');
  await enter(page, owner, `/workspaces/${project.workspace.slug}`);
  const theirs = await visit(t);

  await t.test('an invitation can be sent and withdrawn', async () => {
    const invite = async (email, role) => {
      await page.getByRole('button', { name: 'Invite' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail').fill(email);
      await dialog.getByRole('radio', { name: role }).check();
      await dialog.getByRole('button', { name: 'Invite' }).click();
      return dialog;
    };
    let dialog = await invite(guest.email.toUpperCase(), 'Viewer');
    await dialog.getByText('is invited').waitFor();
    assert.match(
      await dialog.getByRole('link', { name: 'Write an e-mail' }).getAttribute('href'),
      /^mailto:.*subject=/,
    );
    await dialog.getByRole('button', { name: 'Done' }).click();
    dialog = await invite(guest.email, 'Viewer');
    await dialog.getByRole('alert').getByText('This address is already invited.').waitFor();
    await page.keyboard.press('Escape');
    dialog = await invite('nobody@example.com', 'Editor');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Withdraw the invitation of nobody@example.com' }).click();
    await eventually(
      async () =>
        (await owner.call('GET', `/rest/v1/workspace_invitations?workspace_id=eq.${project.workspace.id}`))
          .length === 1,
    );
  });

  await t.test('the invited user joins and can read', async () => {
    await enter(theirs, guest);
    const invitation = theirs.getByRole('region', { name: 'Invitation' });
    await invitation.getByText('Olga Owner').waitFor();
    assert.equal(await theirs.getByText('Name a workspace').count(), 0, 'who is invited need not make one');
    await invitation.getByRole('button', { name: 'Join' }).click();
    await theirs
      .getByRole('navigation', { name: 'Projects' })
      .getByRole('link', { name: 'Receipts' })
      .click();
    await theirs.getByRole('link', { name: 'A belief' }).waitFor();
    assert.equal(await theirs.getByRole('button', { name: 'New hypothesis' }).count(), 0);
  });

  await t.test('the owner makes the viewer an editor', async () => {
    await page.reload();
    await page.getByLabel('Role of Gus Guest').selectOption('editor');
    await eventually(
      async () =>
        (
          await owner.call(
            'GET',
            `/rest/v1/workspace_members?workspace_id=eq.${project.workspace.id}&role=eq.editor`,
          )
        ).length === 1,
    );
    await theirs.reload();
    await theirs.getByRole('button', { name: 'New hypothesis' }).waitFor();
  });

  await t.test('an editor sees the members and cannot change them', async () => {
    await theirs.goto(`${base}/workspaces/${project.workspace.slug}`);
    await theirs.getByText('Olga Owner').waitFor();
    assert.equal(await theirs.getByRole('combobox').count(), 0);
    assert.equal(await theirs.getByRole('button', { name: /Invite|Remove|Rename/ }).count(), 0);
  });

  await t.test('a removed member no longer sees the workspace', async () => {
    await page.getByRole('button', { name: 'Remove Gus Guest' }).click();
    await page.getByRole('dialog').getByText('will no longer see this workspace').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Gus Guest is no longer a member.').waitFor();
    await theirs.goto(`${base}${project.path}`);
    await heading(theirs, 'There is no such project').waitFor();
  });

  await t.test('a workspace can be renamed, and its last owner cannot leave', async () => {
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Renamed & <b>bold</b>');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await heading(page, 'Renamed & <b>bold</b>').waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    assert.match(await page.getByRole('dialog').getByRole('alert').textContent(), /owner/);
  });
});

test('what a removed admin gave ends, and is taken over', async (t) => {
  const page = await visit(t);
  const [owner, admin] = [await person('Olga Owner'), await person('Ada Admin')];
  const project = await owner.project('A belief');
  await joined(owner, project, admin, 'editor');
  const of = `workspace_id=eq.${project.workspace.id}`;
  await owner.call('PATCH', `/rest/v1/workspace_members?${of}&role=eq.editor`, { role: 'admin' });
  const invited = `invited-${Date.now()}@example.com`;
  const workspace_id = project.workspace.id;
  await admin.call('POST', '/rest/v1/workspace_invitations', {
    workspace_id,
    email: invited,
    role: 'viewer',
  });
  await admin.call('POST', '/rest/v1/webhook_endpoints', { workspace_id, url: 'https://example.com/hook' });
  const [{ id: hypothesisId }] = project.hypotheses;
  const { token } = await admin.call('POST', '/api/findings/shares', { hypothesisId, expiresInDays: 30 });
  const shared = async () =>
    (await fetch(`${base}/api/findings/shared`, { headers: { Authorization: `Bearer ${token}` } })).status;
  assert.equal(await shared(), 200);

  await enter(page, owner, `/workspaces/${project.workspace.slug}`);
  await heading(page, project.workspace.name).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Ended' }).count(), 0);
  await page.getByRole('button', { name: 'Remove Ada Admin' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'Ended' }).waitFor();
  assert.equal(await page.getByText('given by Ada Admin').count(), 3);
  await gone(page.getByRole('button', { name: `Withdraw the invitation of ${invited}` }));
  assert.equal(await shared(), 404);
  await picture(page, 'ended');

  await page.getByRole('button', { name: `Take over: Invitation as viewer, ${invited}` }).click();
  await page.getByRole('button', { name: `Withdraw the invitation of ${invited}` }).waitFor();
  await page.getByRole('button', { name: 'Take over: Link to findings, A belief' }).click();
  await eventually(async () => (await shared()) === 200);
  await page.getByRole('button', { name: 'Remove: Webhook, https://example.com/hook' }).click();
  await gone(page.getByRole('heading', { name: 'Ended' }));
  assert.deepEqual(await owner.call('GET', `/rest/v1/webhook_endpoints?${of}`), []);
});

test('an invitation that is sent before the others are loaded stays in the list', async (t) => {
  const page = await visit(t);
  const owner = await person('Hasty');
  const { workspace } = await owner.project();
  let release;
  await page.route(/workspace_invitations\?/, async (route) => {
    if (release || route.request().method() !== 'GET') return route.continue();
    const held = new Promise((resolve) => (release = resolve));
    const response = await route.fetch();
    await held;
    return route.fulfill({ response });
  });
  await enter(page, owner, `/workspaces/${workspace.slug}`);
  await page.getByRole('button', { name: 'Invite' }).click();
  await eventually(() => release);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill('guest@example.com');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await dialog.getByText('is invited').waitFor();
  release();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await quiet(page);
  await page.getByRole('button', { name: 'Withdraw the invitation of guest@example.com' }).waitFor();
});

test('an invitation can be declined', async (t) => {
  const page = await visit(t);
  const [owner, guest] = [await person('Host'), await person('Declines')];
  const project = await owner.project();
  await owner.call('POST', '/rest/v1/workspace_invitations', {
    workspace_id: project.workspace.id,
    email: guest.email,
    role: 'editor',
  });
  await enter(page, guest);
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('Invitation declined.').waitFor();
  assert.equal((await guest.call('POST', '/rest/v1/rpc/my_invitations', {})).length, 0);
});

test('the link of an invitation leads to it, and works only with its token', async (t) => {
  const page = await visit(t);
  const [owner, guest] = [await person('Linker'), await person('Linked', { proven: false })];
  const project = await owner.project();
  await owner.call('POST', '/rest/v1/workspace_invitations', {
    workspace_id: project.workspace.id,
    email: guest.email,
    role: 'editor',
  });
  const [{ id }] = await owner.call('GET', '/rest/v1/workspace_invitations?select=id');
  await enter(page, guest, `/#invitation=${id}&invitation_token=guessed`);
  assert.equal(new URL(page.url()).hash, '');
  const invitation = page.getByRole('region', { name: 'Invitation' });
  await invitation.getByText('You are invited to a workspace.').waitFor();
  await invitation.getByRole('button', { name: 'Join' }).click();
  await page.getByText('This invitation is no longer valid.').waitFor();
  assert.equal(
    (await owner.call('GET', `/rest/v1/workspace_members?workspace_id=eq.${project.workspace.id}`)).length,
    1,
  );
});

test('who follows the link of an invitation signed out learns what to do', async (t) => {
  const page = await visit(t);
  await page.goto(`${base}/#invitation=${crypto.randomUUID()}&invitation_token=mailed`);
  await page
    .getByText('You are invited to a workspace. Sign in, or create an account, to join it.')
    .waitFor();
  await picture(page, 'invited-signed-out');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByText('You are invited to a workspace.').waitFor();
});

test('who joins by the link of an invitation is not asked to confirm the address', async (t) => {
  const page = await visit(t);
  const guest = await person('Proven', { proven: false });
  await enter(page, guest, `/#invitation=${crypto.randomUUID()}&invitation_token=mailed`);
  const unproven = page.getByRole('region', { name: 'Your address is not confirmed' });
  await unproven.waitFor();
  let joined = false;
  await page.route('**/rest/v1/rpc/accept_invitation', (route) => {
    joined = true;
    return route.fulfill({ json: true });
  });
  await page.route('**/user', async (route) => {
    const response = await route.fetch();
    const user = await response.json();
    user.user_metadata.email_verified = joined;
    await route.fulfill({ response, json: user });
  });
  await page.getByRole('region', { name: 'Invitation' }).getByRole('button', { name: 'Join' }).click();
  await page.getByText('You are now a member.').waitFor();
  await gone(unproven);
});

test('the settings of the digest are stored', async (t) => {
  const page = await visit(t, { timezoneId: 'Asia/Kathmandu' });
  const one = await person('Digest');
  await enter(page, one, '/settings');
  await page
    .getByText(/This browser is in Asia\/(Kathmandu|Katmandu)/)
    .or(page.getByLabel('Time zone'))
    .first()
    .waitFor();
  await page.getByLabel('How often').selectOption('daily');
  await page.getByLabel('At', { exact: true }).selectOption('17');
  await page.getByLabel('Time zone').selectOption('Europe/Vienna');
  await page.getByLabel('Pause until').fill('2031-05-06');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Digest saved.').waitFor();
  const [stored] = await one.call(
    'GET',
    '/rest/v1/digest_preferences?select=frequency,timezone,hour,paused_until',
  );
  assert.deepEqual([stored.frequency, stored.timezone, stored.hour], ['daily', 'Europe/Vienna', 17]);
  const ends = async () =>
    new Date(
      (await one.call('GET', '/rest/v1/digest_preferences?select=paused_until'))[0].paused_until,
    ).toISOString();
  assert.equal(await ends(), '2031-05-05T22:00:00.000Z', 'the beginning of the day in Vienna');
  await page.reload();
  assert.equal(await page.getByLabel('Pause until').inputValue(), '2031-05-06');
  await page.getByLabel('Time zone').selectOption('America/Vancouver');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => (await ends()) === '2031-05-06T07:00:00.000Z');
  await page.getByLabel('Time zone').selectOption('Europe/Vienna');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => (await ends()) === '2031-05-05T22:00:00.000Z');
  await one.call('PATCH', '/rest/v1/digest_preferences?frequency=eq.daily', {
    paused_until: '2031-05-06T10:30:00Z',
  });
  await page.reload();
  await page.getByLabel('At', { exact: true }).selectOption('18');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(
    async () => (await one.call('GET', '/rest/v1/digest_preferences?select=hour'))[0].hour === 18,
  );
  assert.equal(await ends(), '2031-05-06T10:30:00.000Z', 'the time of day set by another client is kept');
  assert.equal(await page.getByLabel('How often').inputValue(), 'daily');
  assert.equal(await page.getByLabel('Time zone').inputValue(), 'Europe/Vienna');
  await page.getByRole('button', { name: 'Preview the digest' }).click();
  await page
    .getByRole('dialog', { name: 'Digest preview' })
    .getByText(/Nothing worth a mail happened/)
    .waitFor();
  await page.getByRole('heading', { name: 'An example, with invented people' }).waitFor();
  await page.getByLabel('Example of a digest').getByText('Owners plan shifts on paper').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send it to me' }).count(), 0, 'an example is no mail');
  await page.keyboard.press('Escape');
  await one.call('PATCH', '/rest/v1/digest_preferences?frequency=eq.daily', { paused_until: 'infinity' });
  await page.reload();
  await page.getByText('Your digest is paused. Save to resume it.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(
    async () =>
      (await one.call('GET', '/rest/v1/digest_preferences?select=paused_until'))[0].paused_until === null,
  );
  await page.getByLabel('Pause until').fill('');
  await page.getByLabel('How often').selectOption('off');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(
    async () =>
      (await one.call('GET', '/rest/v1/digest_preferences?select=frequency,paused_until'))[0].paused_until ===
      null,
  );
});

test('name and password can be changed', async (t) => {
  const page = await visit(t);
  const one = await person('Before');
  await enter(page, one, '/settings');
  await page.getByLabel('Name', { exact: true }).fill('Àfter Ωmega');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name saved.').waitFor();
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page
    .getByRole('alert')
    .getByText(/at least 8/)
    .waitFor();
  await page.getByLabel('New password').fill('another horse battery');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  await enter(page, { ...one, password: 'another horse battery' }, '/settings');
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Àfter Ωmega');
});

test('personas and questions can be added, edited and deleted, with undo', async (t) => {
  const page = await visit(t);
  await keepMessages(page);
  const one = await person('Writes');
  const project = await one.project('A belief');
  await enter(page, one, `${project.path}/personas`);
  await page.getByRole('heading', { name: 'Who are you interviewing?' }).waitFor();
  await page.getByRole('button', { name: 'New persona' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Head of finance');
  await page.getByLabel('Goals').fill('Close in two days\n\n  Sleep  ');
  await page.getByRole('button', { name: 'Add persona' }).click();
  await page.getByRole('heading', { name: 'Head of finance' }).waitFor();
  const [stored] = await one.call('GET', `/rest/v1/personas?project_id=eq.${project.id}&select=goals`);
  assert.deepEqual(stored.goals, ['Close in two days', 'Sleep']);

  await page.getByRole('link', { name: 'Questions' }).click();
  await page.getByRole('heading', { name: 'What will you ask next?' }).waitFor();
  await page.getByRole('button', { name: 'New question' }).click();
  await page.getByRole('textbox', { name: 'Question' }).fill('When did that last happen?');
  await page.getByLabel('Tests the hypothesis').selectOption('A belief');
  await page.getByLabel('Who to ask').selectOption('Head of finance');
  await page.getByRole('button', { name: 'Add question' }).click();
  await page.getByText('When did that last happen?').waitFor();
  await page.getByLabel('Status').selectOption('answered');
  await eventually(
    async () =>
      (await one.call('GET', `/rest/v1/questions?project_id=eq.${project.id}&select=status`))[0].status ===
      'answered',
  );
  await page.getByRole('button', { name: 'Edit: When did that last happen?' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await gone(page.getByText('When did that last happen?'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('When did that last happen?').waitFor();
  // The deletion becomes final when the user leaves the page.
  await page.getByRole('button', { name: 'Edit: When did that last happen?' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.goto(`${base}/settings`);
  await eventually(
    async () => (await one.call('GET', `/rest/v1/questions?project_id=eq.${project.id}`)).length === 0,
  );
});

// long has the service answer the first request to an address as if the sign-in was long ago.
async function long(page, address, method) {
  let asked = false;
  await page.route(address, (route) => {
    if (route.request().method() !== method || asked) return route.fallback();
    asked = true;
    return route.fulfill({
      status: 400,
      json: { error_code: 'reauthentication_needed', msg: 'This change requires a recent sign-in.' },
    });
  });
}

const proof = (page) => page.getByRole('dialog', { name: 'Confirm that it is you' });

test('a change asks for the password if the sign-in was long ago, and goes on', async (t) => {
  const page = await visit(t);
  const one = await person('Long Ago');
  await enter(page, one, '/settings');
  await long(page, '**/auth/v1/user', 'PUT');
  await page.getByLabel('New password').fill('another fine passphrase');
  await page.getByRole('button', { name: 'Change password' }).click();
  await proof(page).getByLabel('Your password').fill('wrong');
  await proof(page).getByRole('button', { name: 'Confirm' }).click();
  await proof(page).getByRole('alert').getByText('E-mail or password is wrong.').waitFor();
  await proof(page).getByLabel('Your password').fill(one.password);
  await proof(page).getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Password changed.').waitFor();
  assert.equal(await proof(page).count(), 0);
});

test('a dialog waits while the user proves who they are, and says so if they do not', async (t) => {
  const page = await visit(t);
  const one = await person('Long Since');
  await enter(page, one, '/settings');
  await long(page, '**/auth/v1/factors', 'POST');
  await page.getByRole('button', { name: 'Add an app' }).click();
  const adding = page.getByRole('dialog', { name: 'Add an app' });
  await adding.getByRole('button', { name: 'Continue' }).click();
  await proof(page).getByRole('button', { name: 'Cancel' }).click();
  await adding.getByRole('alert').getByText('This change requires a recent sign-in.').waitFor();

  await long(page, '**/auth/v1/factors', 'POST');
  await adding.getByRole('button', { name: 'Continue' }).click();
  const sent = [];
  await page.route('**/auth/v1/reauthenticate', (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({ json: {} });
  });
  await proof(page).getByRole('button', { name: 'Get a code by e-mail instead' }).click();
  await proof(page).getByLabel('Code').fill('123456');
  await proof(page).getByRole('button', { name: 'Confirm' }).click();
  await adding.getByRole('img', { name: 'QR code' }).waitFor();
  assert.deepEqual(sent, [null, { nonce: '123456' }]);
});

test('an admin says whether the model is asked about speakers in doubt', async (t) => {
  const page = await visit(t);
  const owner = await person('Sigrid Setter');
  const { workspace } = await owner.project();
  await enter(page, owner, `/workspaces/${workspace.slug}`);
  const box = page.getByLabel('Ask the model about speakers in doubt');
  assert.equal(await box.isChecked(), true);
  await box.uncheck();
  await page.getByText('The model is no longer asked about speakers.').waitFor();
  const [stored] = await owner.call('GET', `/rest/v1/workspaces?id=eq.${workspace.id}&select=check_speakers`);
  assert.equal(stored.check_speakers, false);
  await page.reload();
  await box.waitFor();
  assert.equal(await box.isChecked(), false);
  await picture(page, 'workspace-speakers');
  await box.check();
  await page.getByText('The model is asked about speakers in doubt.').waitFor();
});

test('a member whose address is not proven learns what waits for it, and gets the link again', async (t) => {
  const page = await visit(t);
  const owner = await person('Una Unproven', { proven: false });
  const project = await owner.project('A belief');
  await enter(page, owner, `/workspaces/${project.workspace.slug}`);
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill(`guest-${process.pid}@example.com`);
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const notice = dialog.getByRole('region', { name: 'Your address is not confirmed' });
  await notice.getByText('sent once you have confirmed your own address').waitFor();
  await notice.getByText(owner.email).waitFor();
  assert.equal(await dialog.getByText('get an e-mail').count(), 0, 'nothing was sent');
  await picture(page, 'invite-unproven');
  await notice.getByRole('button', { name: 'Send the link again' }).click();
  await notice.getByRole('button', { name: 'Sent' }).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.goto(base);
  const atHome = page.getByRole('region', { name: 'Your address is not confirmed' });
  await atHome.waitFor();
  await picture(page, 'home-unproven');
  await prove(await owner.call('GET', '/auth/v1/user'));
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))); // as on the way back
  await gone(atHome);
});
