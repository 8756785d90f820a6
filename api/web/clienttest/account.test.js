// The export of one's data, the deletion of one's account, and the audit log.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { base, enter, gone, heading, person, visit } from './harness.js';
import { joined } from './judged.js';

const deletion = (page) => page.getByRole('dialog', { name: 'Delete your account?' });

// confirm types an address into the dialog, and confirms.
async function confirm(page, address) {
  await deletion(page).getByLabel('Your address, to confirm').fill(address);
  await deletion(page).getByRole('button', { name: 'Delete account' }).click();
}

test('the data of the user is a zip', async (t) => {
  const page = await visit(t);
  const one = await person('Exports');
  await enter(page, one, '/settings');
  let download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export your data' }).click();
  let file = await download;
  assert.equal(file.suggestedFilename(), 'research-account.zip');
  const content = readFileSync(await file.path());
  // Browsers can refuse what a page saves long after a click.
  download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save again' }).click();
  file = await download;
  assert.deepEqual(readFileSync(await file.path()), content);
  assert.equal(content.subarray(0, 2).toString(), 'PK');
  assert.ok(content.includes('memberships.jsonl'));
});

test('an account is deleted after its address is typed, and others keep their workspaces', async (t) => {
  const page = await visit(t);
  const [one, admin, editor] = [await person('Leaver'), await person('Stand in'), await person('Later')];
  const alone = await one.project('A belief of one.');
  const shared = await one.project('A belief of three.');
  await one.call('PATCH', `/rest/v1/workspaces?id=eq.${shared.workspace.id}`, { name: 'Shared' });
  await one.call('PATCH', `/rest/v1/workspaces?id=eq.${alone.workspace.id}`, { name: 'Alone' });
  await joined(one, shared, editor, 'editor');
  await joined(one, shared, admin, 'admin');
  await enter(page, one, '/settings');
  await page.getByRole('button', { name: 'Delete account…' }).click();
  await deletion(page).getByText('Alone (1 project)').waitFor();
  await deletion(page).getByText('Shared. Stand in, now admin, becomes its owner').waitFor();
  assert.equal(await deletion(page).getByText('Later').count(), 0);

  await confirm(page, 'somebody@example.com');
  await deletion(page).getByRole('alert').getByText('This is not the address of your account.').waitFor();

  // An old sign-in needs the password.
  let asked = false;
  await page.route('**/api/account', (route) => {
    if (asked) return route.continue();
    asked = true;
    return route.fulfill({
      status: 403,
      json: { error: 'reauthentication_needed', message: 'Sign in again.' },
    });
  });
  await confirm(page, ` ${one.email.toUpperCase()}`);
  await page.getByLabel('Your password').fill(one.password);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Your account is deleted.').waitFor();
  await heading(page, 'Sign in').waitFor();

  await page.getByLabel('E-mail').fill(one.email);
  await page.getByLabel('Password').fill(one.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('E-mail or password is wrong.').waitFor();
  const members = await editor.call(
    'GET',
    `/rest/v1/workspace_members?workspace_id=eq.${shared.workspace.id}&order=role` +
      '&select=role,profiles(display_name)',
  );
  assert.deepEqual(
    members.map((m) => [m.role, m.profiles.display_name]),
    [
      ['editor', 'Later'],
      ['owner', 'Stand in'],
    ],
  );
});

test('owners and admins read the audit log of a workspace, and others do not', async (t) => {
  const page = await visit(t);
  const [one, editor] = [await person('Keeper'), await person('Hired')];
  const project = await one.project('Something');
  const role = await joined(one, project, editor, 'editor');
  await role('viewer');
  await one.call('PATCH', `/rest/v1/workspaces?id=eq.${project.workspace.id}`, { name: 'Watched' });
  await enter(page, one, `/workspaces/${project.workspace.slug}`);
  await page.getByText('Audit log', { exact: true }).click();
  const records = page.locator('.audit li');
  for (const text of [
    'Keeper changed the name',
    'Keeper changed the role of Hired from editor to viewer',
    /Keeper invited hired-.*@example.com as editor/,
    /Keeper signed in with Chrome from 127\.0\.0\.0/,
  ])
    await records.filter({ hasText: text }).first().waitFor();
  await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('Roles');
  await gone(records.filter({ hasText: 'changed the name' }));
  await records.filter({ hasText: 'changed the role' }).waitFor();
  assert.equal(await records.count(), 1);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as CSV' }).click();
  const csv = readFileSync(await (await download).path(), 'utf8');
  assert.match(csv, /^\ufeffid,occurred_at,/);
  assert.match(csv, /role_changed/);

  const other = await visit(t);
  await enter(other, editor, `/workspaces/${project.workspace.slug}`);
  await heading(other, 'Watched').waitFor();
  await other.locator('.members li').nth(1).waitFor();
  assert.equal(await other.getByText('Audit log').count(), 0);
  assert.ok(other.url().startsWith(base));
});

test('the audit log is downloaded whole, and no cell is a formula', async (t) => {
  const page = await visit(t);
  const one = await person('=Keeper');
  const project = await one.project('Something');
  const quotes = Array.from({ length: 600 }, (_, i) => ({ project_id: project.id, quote: `Quote ${i}` }));
  await one.call('POST', '/rest/v1/evidence', quotes); // more than the service puts into an answer
  await one.call('DELETE', `/rest/v1/evidence?project_id=eq.${project.id}&select=id`);
  await enter(page, one, `/workspaces/${project.workspace.slug}`);
  await page.getByText('Audit log', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('Deletions');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as CSV' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  assert.ok(text.startsWith('\ufeffid,'), 'spreadsheets know that it is UTF-8');
  const [header, ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  assert.equal(rows.length, 600);
  const at = header.indexOf('actor_email');
  assert.deepEqual([...new Set(rows.map((row) => row[at]))], [`"'${one.email}"`]);
});
