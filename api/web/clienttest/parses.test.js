// Analyses as the page shows them: live, cancelled, failed and with a lost connection; access of other users.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  base,
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
const until = (gate) => spoken(7_000) + spoken(5_000, `Please wait for the gate ${gate} now.`);
const statement = 'The card statement is pasted every morning.';

async function begin(page) {
  await page
    .getByRole('button', { name: /^(Find evidence|Try again)/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  const find = dialog.getByRole('button', { name: 'Find evidence' });
  await find.click();
  // If Temporal is busy, the dialog says so; try again.
  await eventually(async () => {
    if (await dialog.getByRole('alert').count()) await find.click({ timeout: 1000 }).catch(() => {});
    return (await dialog.count()) === 0;
  });
}

test('progress is live in the list and in the interview, without a reload', async (t) => {
  const page = await visit(t);
  const one = await person('Live');
  const project = await one.project(statement);
  await one.upload(project, 'slow.txt', until('live'));
  await enter(page, one, `${project.path}/interviews`);
  await begin(page);
  const bar = page.getByRole('progressbar', { name: 'Analysing slow' });
  await eventually(async () => Number(await bar.getAttribute('aria-valuenow')) > 0);
  await page.getByText(/[1-9] of \d parts/).waitFor();
  await page.getByRole('link', { name: 'slow', exact: true }).click();
  await heading(page, 'slow').waitFor();
  await page.getByText(/[1-9] of \d parts analysed/).waitFor();
  const board = await page.context().newPage();
  await board.goto(`${base}${project.path}/evidence`);
  await board.locator('.gaps').getByText('no answer yet from slow.').waitFor();
  await opened('live');
  await page.getByText('100% read by test-model').waitFor();
  await page.getByRole('article').first().waitFor();
  await gone(page.getByRole('progressbar'));
  await board.getByRole('article').first().waitFor();
  await gone(board.locator('.gaps'));
  await page
    .getByRole('status')
    .filter({ hasText: /slow: Analysed\./ })
    .waitFor({ state: 'attached' });
});

test('the page says that the connection is lost, and continues when it is back', async (t) => {
  const page = await visit(t);
  const one = await person('Lost');
  const project = await one.project(statement);
  const id = await one.upload(project, 'slow.txt', until('lost'));
  await enter(page, one, `/imports/${id}`);
  await heading(page, 'slow').waitFor();
  await begin(page);
  await page.getByRole('progressbar', { name: 'Analysing slow' }).waitFor();
  await page.context().setOffline(true);
  await page.getByText('The connection is lost. A running analysis continues.').waitFor();
  await opened('lost');
  await eventually(async () => (await one.call('GET', `/api/import/${id}`)).status === 'parsed');
  await page.context().setOffline(false);
  await page.getByText('100% read by test-model').waitFor();
  await gone(page.getByText('The connection is lost'));
});

test('an analysis can be cancelled and started again', async (t) => {
  const page = await visit(t);
  const one = await person('Cancels');
  const project = await one.project(statement);
  await one.upload(project, 'stuck.txt', spoken(200, 'Please never answer this.'));
  await enter(page, one, `${project.path}/interviews`);
  await begin(page);
  await page.getByRole('button', { name: 'Cancel stuck' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Try again: stuck' }).waitFor();
  await begin(page);
  await page.getByRole('link', { name: 'stuck', exact: true }).click();
  await page.getByRole('progressbar', { name: 'Analysing stuck' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page
    .locator('.about [role=alert]')
    .getByText(/cancelled/)
    .waitFor();
});

test('a failed analysis says why, in plain words', async (t) => {
  const page = await visit(t);
  const one = await person('Fails');
  const project = await one.project(statement);
  const id = await one.upload(
    project,
    'refused.txt',
    spoken(200, 'The key must be refused: the key must be refused.'),
  );
  await enter(page, one, `/imports/${id}`);
  await heading(page, 'refused').waitFor();
  await begin(page);
  const why = page.locator('.about [role=alert]');
  await why.waitFor();
  const text = await why.textContent();
  assert.match(text, /key/i);
  assert.doesNotMatch(text, /sk-test|401|error:|undefined|null/);
  await page.getByText('failed', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.goto(`${base}${project.path}/interviews`);
  await page.getByText(text).waitFor();
  await page.getByRole('link', { name: 'Evidence', exact: true }).click();
  await page.locator('.gaps').getByText('no answer from refused (failed).').waitFor();
});

test('a failed run stands beside what an earlier one has read, and is repeated as it was', async (t) => {
  const page = await visit(t);
  const one = await person('Stands');
  const project = await one.project(statement, 'Nobody says that the key must be refused.');
  const id = await one.upload(project, 'twice.txt', spoken(200));
  await one.call('POST', `/api/import/${id}/parse`, { hypothesisIds: [project.hypotheses[0].id] });
  await eventually(async () => (await one.call('GET', `/api/import/${id}`)).status === 'parsed');
  await enter(page, one, `/imports/${id}`);
  await page.getByText('100% read by test-model').waitFor();
  await page.getByRole('article').first().waitFor();
  const quotes = await page.getByRole('article').count();
  await page.getByRole('button', { name: 'Actions for twice' }).click();
  await page.getByRole('menuitem', { name: 'Analyse from scratch' }).click();
  const dialog = page.getByRole('dialog', { name: 'Analyse from scratch?' });
  const [read, fresh] = project.hypotheses.map((h) => dialog.getByRole('checkbox', { name: h.statement }));
  assert.ok(await read.isChecked());
  await fresh.check();
  await dialog.getByRole('button', { name: 'Analyse from scratch' }).click();
  await page
    .locator('.about [role=alert]')
    .getByText(/^The last run failed: .*API key/)
    .waitFor();
  await page.getByText(/^What stands: 100% read by test-model, on \d.*\.$/).waitFor();
  await eventually(async () => (await page.getByRole('article').count()) === quotes);
  for (const button of [
    page.getByRole('button', { name: 'Try again' }),
    page.getByRole('button', { name: 'Try again: twice' }),
  ]) {
    await button.click();
    await dialog.waitFor();
    assert.ok((await read.isChecked()) && (await fresh.isChecked()));
    await page.keyboard.press('Escape');
    await gone(dialog);
    await page.goto(`${base}${project.path}/interviews`);
  }
  await page.getByText(/^The last run failed: .*API key/).waitFor();
  await page.getByRole('button', { name: 'Try again: twice' }).click();
  await dialog.getByRole('button', { name: 'Analyse from scratch' }).click();
  await eventually(async () => {
    const { runs } = await one.call('GET', `/api/import/${id}/runs`);
    return runs.length === 3 && runs[0].refresh && runs[0].hypothesisIds.length === 2;
  });
});

test('admins get a link to the workflow in Temporal UI', async (t) => {
  const page = await visit(t);
  const one = await person('Operator');
  const project = await one.project(statement);
  const id = await one.upload(project, 'short.txt', spoken(200));
  await one.parse(project, id);
  await enter(page, one, `/imports/${id}`);
  const link = page.getByRole('link', { name: /Workflow/ });
  assert.match(
    await link.getAttribute('href'),
    new RegExp(`^http://temporal\\.example/namespaces/[^/]+/workflows/import-${id}`),
  );
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
});

test('data of another workspace looks like data that does not exist', async (t) => {
  const page = await visit(t);
  const [one, other] = [await person('Outsider'), await person('Insider')];
  const project = await other.project('A secret belief');
  const id = await other.upload(project, 'secret interview.txt', 'Dana: A secret.\nOmar: Indeed.\n');
  await enter(page, one);
  const texts = [];
  for (const path of [
    project.path,
    `${project.path}/evidence`,
    `${project.path}/interviews`,
    `/imports/${id}`,
    `/workspaces/${project.workspace.slug}`,
    '/projects/00000000-0000-4000-8000-00000000dead',
    '/imports/00000000-0000-4000-8000-00000000dead',
    '/imports/nonsense',
    '/workspaces/nothing',
  ]) {
    await page.goto(base + path);
    await heading(page, /There is no such/).waitFor();
    texts.push((await page.locator('main').textContent()).replace(/project|interview|workspace/, '…'));
    assert.doesNotMatch(await page.locator('body').textContent(), /secret/i);
  }
  assert.equal(new Set(texts).size, 1);
  await page.goto(`${base}/nothing/at/all`);
  await heading(page, 'There is no such page').waitFor();
});
