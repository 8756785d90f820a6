// Interviews that are analysed again: for new and changed hypotheses, and what that changed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, gone, heading, PARSE_MS, person, spoken, visit as visits } from './harness.js';

const visit = (t) => visits(t, { patience: PARSE_MS });
const interview = [
  'Dana: The card statement is pasted every morning into the sheet.',
  'Omar: Receipts arrive by mail and nobody collects them.',
  'Dana: The close takes nine days because of the bank.',
].join('\n');
const pasted = 'The card statement is pasted every morning.';
const collected = 'Somebody collects receipts that arrive by mail.';

async function addHypothesis(one, project, statement) {
  const [added] = await one.call('POST', '/rest/v1/hypotheses', { project_id: project.id, statement });
  return added;
}

const reword = (one, hypothesis, statement) =>
  one.call('PATCH', `/rest/v1/hypotheses?id=eq.${hypothesis.id}`, { statement });

test('an open analysis says what it waits for', async (t) => {
  const page = await visit(t);
  const one = await person('Waits');
  const project = await one.project(pasted);
  const id = await one.upload(project, 'away.txt', spoken(200, 'The server must be away.'));
  await one.parse(project, id, ['queued', 'parsing']);
  await enter(page, one, `${project.path}/interviews`);
  await page.getByText(/waiting for the AI model, which is unavailable/).waitFor();
  await page.getByRole('link', { name: 'away', exact: true }).click();
  await heading(page, 'away').waitFor();
  await page.getByText(/waiting for the AI model, which is unavailable/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
});

test('quotes appear while the rest of an interview is read', async (t) => {
  const page = await visit(t);
  const one = await person('Reads');
  const project = await one.project(pasted);
  const rest = spoken(9000) + spoken(200, 'Please wait for the gate reading now.');
  const id = await one.upload(project, 'long.txt', `${interview}\n${rest}`);
  await enter(page, one, `${project.path}/evidence`);
  await one.parse(project, id, ['queued', 'parsing']);
  await page.getByRole('article').getByText('still reading').first().waitFor();
  await page.goto(`${page.url().split('/projects')[0]}/imports/${id}`);
  await page.getByText('still reading').first().waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await gone(page.getByText('still reading'));
});

test('an analysed interview is analysed for the hypotheses that were not checked', async (t) => {
  const page = await visit(t);
  const one = await person('Again');
  const project = await one.project(pasted);
  const id = await one.upload(project, 'twice.txt', interview);
  await one.parse(project, id);
  await addHypothesis(one, project, collected);
  await enter(page, one, `/imports/${id}`);
  await page.getByRole('button', { name: 'Analyse' }).click();
  const dialog = page.getByRole('dialog');
  const [before, now] = [
    dialog.getByRole('checkbox', { name: pasted }),
    dialog.getByRole('checkbox', { name: collected }),
  ];
  assert.equal(await now.isChecked(), true);
  assert.equal(await before.isChecked(), false);
  assert.equal(await dialog.getByText(/^checked \d/).count(), 1);
  await before.check();
  await now.uncheck();
  await dialog
    .getByRole('status')
    .getByText('This interview was read for each chosen hypothesis, as worded now')
    .waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Find evidence' }).isDisabled(), true);
  await now.check();
  await dialog.getByRole('button', { name: 'Find evidence' }).click();
  await page.getByText('Last analysis: 1 added', { exact: true }).waitFor();
  await eventually(async () => (await page.locator('.answers li').count()) === 2);
});

test('the board checks the interviews that were not checked for a hypothesis', async (t) => {
  const page = await visit(t);
  const one = await person('Board');
  const project = await one.project(pasted);
  for (const name of ['first.txt', 'second.txt'])
    await one.parse(project, await one.upload(project, name, `${interview}\nOmar: This is ${name}.\n`));
  const added = await addHypothesis(one, project, collected);
  await enter(page, one, `${project.path}/evidence?h=${added.id}`);
  await page.locator('.gaps').getByText('not checked in 2 interviews: first, second.').waitFor();
  await page.getByRole('button', { name: 'Check now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Check 2 interviews?' });
  await dialog.getByText('first, second').waitFor();
  await dialog.getByRole('button', { name: 'Check now' }).click();
  await gone(dialog);
  await eventually(async () => (await page.getByRole('article').count()) === 2);
  await gone(page.locator('.gaps'));
  // After a change of the statement they were checked for another one.
  await reword(one, added, 'Nobody collects receipts.');
  await page.reload();
  await page.locator('.gaps').getByText('not checked in 2 interviews').waitFor();
});

test('an interview says what its last analysis added, changed and no longer found', async (t) => {
  const page = await visit(t);
  const one = await person('Differs');
  const project = await one.project(pasted, collected);
  const id = await one.upload(project, 'differs.txt', interview);
  await one.parse(project, id);
  await enter(page, one, `/imports/${id}`);
  await page.getByRole('article').first().waitFor();
  assert.equal(await page.getByText(/Last analysis/).count(), 0);
  const [first, second] = project.hypotheses;
  await reword(one, first, `Perhaps ${pasted.toLowerCase()}`);
  await reword(one, second, 'The close takes nine days.');
  await one.parse(project, id);
  await page.reload();
  await page.getByText('Last analysis: 1 added, 1 changed, 1 no longer found').click();
  const change = (name) => page.getByRole('region', { name, exact: true }).getByRole('listitem');
  await change('added').getByText('The close takes nine days because of the bank.').waitFor();
  await change('changed').getByText('For, medium → For, weak').waitFor();
  await change('no longer found').getByText('Receipts arrive by mail and nobody collects them.').waitFor();
});
