// What an analysis costs before it begins, its progress, and the analysis from scratch.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  enter,
  eventually,
  gone,
  heading,
  opened,
  PARSE_MS,
  person,
  spoken,
  visit as visits,
} from './harness.js';

const visit = (t) => visits(t, { patience: PARSE_MS });
const pasted = 'The card statement is pasted every morning.';
const interview = [
  'Dana: The card statement is pasted every morning into the sheet.',
  'Omar: Receipts arrive by mail and nobody collects them.',
].join('\n');

// estimated answers requests for estimates, and returns their bodies.
async function estimated(page, answer) {
  const asked = [];
  await page.route('**/api/import/*/estimate', (route) => {
    asked.push(route.request().postDataJSON());
    return route.fulfill(answer);
  });
  return asked;
}
const estimate = {
  json: {
    calls: 3,
    tokens: 12_340,
    inputTokens: 12_000,
    outputTokens: 340,
    cost: { amount: 0.0421, currency: 'EUR' },
  },
};
const missing = { status: 404, json: { error: 'not_found', message: 'There is no such path.' } };

test('an analysis says what it will cost, for one interview and for several', async (t) => {
  const page = await visit(t);
  const one = await person('Pays');
  const project = await one.project(pasted, 'Nobody spoke of this one.');
  for (const name of ['first.txt', 'second.txt'])
    await one.upload(project, name, `${interview}\nOmar: ${name}\n`);
  const asked = await estimated(page, estimate);
  await enter(page, one, `${project.path}/interviews`);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Find evidence in: first' }).click();
  await dialog.getByText('About 3 calls to the AI model, 12,000 tokens, €0.042.').waitFor();
  assert.equal(asked.at(-1).hypothesisIds.length, 2);
  await dialog.getByRole('checkbox', { name: pasted }).uncheck();
  await eventually(() => asked.at(-1).hypothesisIds.length === 1);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Find evidence in 2' }).click();
  await dialog.getByText('About 6 calls to the AI model, 25,000 tokens, €0.084.').waitFor();
});

test('a server without estimates says nothing about the cost', async (t) => {
  const page = await visit(t);
  const one = await person('Unknown cost');
  const project = await one.project(pasted);
  await one.upload(project, 'first.txt', interview);
  const asked = await estimated(page, missing);
  await enter(page, one, `${project.path}/interviews`);
  await page.getByRole('button', { name: 'Find evidence', exact: true }).first().click();
  await eventually(() => asked.length > 0);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Find evidence' }).waitFor();
  assert.equal(await dialog.locator('.estimate').textContent(), '');
  assert.equal(await dialog.getByRole('alert').count(), 0);
});

test('the menu analyses an interview from scratch, after it said what stays and what changes', async (t) => {
  const page = await visit(t);
  const one = await person('Scratch');
  const project = await one.project(pasted);
  const id = await one.upload(project, 'again.txt', interview);
  await one.parse(project, id);
  await one.call('PATCH', `/rest/v1/evidence?import_id=eq.${id}`, { review: 'rejected' });
  await enter(page, one, `${project.path}/interviews`);
  const menu = page.getByRole('button', { name: 'Actions for again' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Analyse', exact: true }).click();
  const plain = page.getByRole('dialog', { name: 'again' });
  await plain.getByText(/^checked \d/).waitFor();
  assert.ok(await plain.getByRole('button', { name: 'Find evidence' }).isDisabled(), 'nothing is missing');
  await page.keyboard.press('Escape');

  await menu.click();
  await page.getByRole('menuitem', { name: 'Analyse from scratch' }).click();
  const dialog = page.getByRole('dialog', { name: 'Analyse from scratch?' });
  await dialog.getByText('Quotes that a person added, accepted, rejected or edited').waitFor();
  await dialog.getByText('Quotes that nobody reviewed').waitFor();
  assert.ok(await dialog.getByRole('checkbox', { name: pasted }).isChecked());
  await dialog.getByRole('button', { name: 'Analyse from scratch' }).click();
  await gone(dialog);
  await eventually(async () => {
    const { runs } = await one.call('GET', `/api/import/${id}/runs`);
    return runs.length === 2 && runs[0].refresh && runs[0].status === 'parsed';
  });
  const left = await one.call('GET', `/rest/v1/evidence?import_id=eq.${id}&select=review`);
  assert.deepEqual(left, [{ review: 'rejected' }]);
  await page.getByText('analysed', { exact: true }).waitFor();
});

test('an analysis shows its progress and how long it has run, in the list and on the board', async (t) => {
  const page = await visit(t);
  const one = await person('Watches');
  const project = await one.project(pasted);
  const id = await one.upload(
    project,
    'slow.txt',
    spoken(7_000) + spoken(5_000, 'Please wait for the gate elapsed now.'),
  );
  await one.parse(project, id, ['parsing']);
  await enter(page, one, `${project.path}/interviews`);
  await page
    .locator('.imports .elapsed')
    .getByText(/^0:0[1-9]|0:[1-5]\d|[1-9]\d*:\d\d$/)
    .waitFor();
  await page.getByRole('link', { name: 'Evidence', exact: true }).click();
  const gaps = page.locator('.gaps');
  await gaps.getByText(/\d of \d parts analysed/).waitFor();
  await gaps
    .locator('.elapsed')
    .getByText(/^\d+:\d\d$/)
    .waitFor();
  await opened('elapsed');
  await gone(gaps);
  await heading(page, pasted).waitFor();
});
