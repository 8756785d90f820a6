// Hypotheses from a list, one statement per line.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, heading, person, quiet, visit } from './harness.js';

const box = (page) => page.getByLabel('Statements, one per line');
const preview = (page) => page.getByRole('list', { name: 'What is added' });
const statements = (page) => page.locator('.hypotheses a.statement').allTextContents();

// stored returns the hypotheses of a project in its order.
const stored = (one, project) =>
  one.call(
    'GET',
    `/rest/v1/hypotheses?project_id=eq.${project.id}&order=created_at,id` +
      '&select=statement,falsified_if,category,importance',
  );

test('an empty project gets its hypotheses from a list, by keyboard alone', async (t) => {
  const page = await visit(t);
  const one = await person('Lister');
  const project = await one.project();
  await enter(page, one, project.path);
  await page.getByRole('heading', { name: 'What do you believe?' }).waitFor();
  await box(page).waitFor();
  await page.getByRole('button', { name: 'New hypothesis' }).focus();
  await page.keyboard.press('Tab');
  assert.ok(await box(page).evaluate((element) => element === document.activeElement));
  const add = page.getByRole('button', { name: /^Add / });
  assert.ok(await add.isDisabled());

  await page.keyboard.insertText(
    '- Receipts take too long.\n\n2. Nobody likes forms.\n• receipts  take too long\n' +
      'H4: Teams pay per seat.\tThey ask for a flat price.\n',
  );
  await page.getByText('3 hypotheses, 1 line left out').waitFor();
  assert.deepEqual(await preview(page).locator('.words').allTextContents(), [
    'Receipts take too long.',
    'Nobody likes forms.',
    'receipts  take too long',
    'Teams pay per seat.',
  ]);
  await preview(page).getByText('the same as 1').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('3 hypotheses added.').waitFor();
  assert.deepEqual(await statements(page), [
    'Receipts take too long.',
    'Nobody likes forms.',
    'Teams pay per seat.',
  ]);
  assert.ok(await heading(page, 'Hypotheses').evaluate((element) => element === document.activeElement));
  assert.deepEqual(
    (await stored(one, project)).map((h) => [h.statement, h.falsified_if]),
    [
      ['Receipts take too long.', ''],
      ['Nobody likes forms.', ''],
      ['Teams pay per seat.', 'They ask for a flat price.'],
    ],
  );
});

test('a list is added to a project, without what it has already', async (t) => {
  const page = await visit(t);
  const one = await person('Lister');
  const project = await one.project('Receipts take too long.');
  await enter(page, one, project.path);
  await page.getByRole('button', { name: 'Add a list' }).click();
  await box(page).fill('RECEIPTS take too long');
  await preview(page).getByText('already in this project').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Add hypotheses' }).isDisabled());
  const many = Array.from({ length: 30 }, (_, i) => `Belief number ${i} holds.`);
  await box(page).fill(['Receipts take too long.', ...many].join('\n'));
  await page.getByLabel('Category').selectOption('Pricing');
  await page.getByLabel('Importance').selectOption('High');
  await page.getByRole('button', { name: 'Add 30 hypotheses' }).click();
  await page.getByText('30 hypotheses added.').waitFor();
  const rows = await stored(one, project);
  assert.deepEqual(
    rows.map((h) => h.statement),
    ['Receipts take too long.', ...many],
  );
  assert.deepEqual(await statements(page), ['Receipts take too long.', ...many]);
  assert.ok(rows.slice(1).every((h) => h.category === 'pricing' && h.importance === 'high'));
});

test('several lines in the form for one hypothesis can become several', async (t) => {
  const page = await visit(t);
  const one = await person('Paster');
  const project = await one.project('Something known.');
  await enter(page, one, project.path);
  await page.getByRole('button', { name: 'New hypothesis' }).click();
  await page.getByLabel('Statement').fill('A first belief.\nA second belief.');
  await page.getByText('These are 2 lines.').waitFor();
  await page.getByRole('button', { name: 'Add each as a hypothesis' }).click();
  assert.equal(await box(page).inputValue(), 'A first belief.\nA second belief.');
  await page.getByRole('button', { name: 'Add 2 hypotheses' }).click();
  await eventually(async () => (await statements(page)).length === 3);
});

test('a list stays when the server cannot store it', async (t) => {
  const page = await visit(t, { width: 390, height: 844 });
  const one = await person('Lister');
  const project = await one.project();
  await enter(page, one, project.path);
  await box(page).fill('A belief that stays.');
  await page.route('**/rest/v1/hypotheses?*', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.getByRole('button', { name: 'Add 1 hypothesis' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await box(page).inputValue(), 'A belief that stays.');
  await page.unroute('**/rest/v1/hypotheses?*');
  await page.getByRole('button', { name: 'Add 1 hypothesis' }).click();
  await page.getByText('1 hypothesis added.').waitFor();
  await quiet(page);
  assert.deepEqual(await statements(page), ['A belief that stays.']);
});
