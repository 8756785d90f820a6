// The guide of the next interview: what to ask, and whom; and advice while a question is typed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { joined, judged } from './judged.js';
import { base, enter, eventually, heading, person, picture, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function requireAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map((node) => node.failureSummary)]),
    [],
  );
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}

// planned returns a project with an interview, two hypotheses and a persona, and questions for the first.
async function planned(name) {
  const { one, project } = await judged(name);
  const [first, second] = project.hypotheses;
  const of = { project_id: project.id };
  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${first.id}`, {
    importance: 'high',
    falsified_if: 'Fewer than one in five lost a receipt this year.',
  });
  await one.call('POST', '/rest/v1/personas', { ...of, name: 'Finance leads' });
  for (const text of ['When did you last lose a receipt?', "Don't you hate receipts?"])
    await one.call('POST', '/rest/v1/questions', { ...of, hypothesis_id: first.id, text });
  return { one, project, first, second, path: `${project.path}/guide` };
}

const asked = (page) => page.locator('.to-ask .statement').allTextContents();

test('the guide of the next interview is one page to read, print, copy and save', async (t) => {
  const page = await visit(t, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { one, project, first, second, path } = await planned('Guides');
  await enter(page, one, project.path);
  await page.getByRole('link', { name: 'Next interview', exact: true }).first().click();
  await page.waitForURL(base + path);
  await heading(page, 'Next interview').waitFor();
  const questions = page.getByRole('region', { name: 'Questions' });
  const theirs = questions.getByRole('listitem').filter({ hasText: 'When did you last lose a receipt?' });
  await theirs.getByRole('link', { name: first.statement }).waitFor();
  const texts = await asked(page);
  assert.ok(texts.length >= 6 && texts.length <= 8, texts.join('\n'));
  assert.ok(!texts.includes("Don't you hate receipts?"));
  await page.getByRole('region', { name: 'Left out' }).getByText("Don't you hate receipts?").waitFor();
  await page.getByText(/^Talk to “Finance leads” next: /).waitFor();
  const open = page.getByRole('region', { name: 'What is still open' });
  await open
    .getByRole('listitem')
    .filter({ hasText: second.statement })
    .getByText('prove it wrong')
    .waitFor();
  assert.equal(
    await open.getByRole('listitem').filter({ hasText: first.statement }).getByText('prove it wrong').count(),
    0,
  );
  await requireAccessible(page);
  await picture(page, 'guide');

  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['.side', '.tabs', '.guide-page .tasks', '.guide-page .left-out'])
    assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
  const pdf = await page.pdf({
    format: 'A4',
    ...(process.env.PICTURES && { path: `${process.env.PICTURES}/guide.pdf` }),
  });
  assert.equal(pdf.toString('latin1').match(/\/Type \/Page\b/g).length, 1, 'one page');
  await picture(page, 'guide-print');
  await page.emulateMedia({ media: null });

  await page.getByRole('button', { name: 'Copy as Markdown' }).click();
  await page.getByText('Copied.').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^# Next interview: Receipts\n/);
  for (const text of texts) assert.ok(copied.includes(text.replaceAll('-', '\\-')), `${text}: ${copied}`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as Markdown' }).click();
  const file = await download;
  assert.match(file.suggestedFilename(), /^receipts-next-interview-\d{4}-\d\d-\d\d\.md$/);
  assert.equal(readFileSync(await file.path(), 'utf8'), copied);
});

test('the guide counts people as the board does, and no hypotheses that can wait', async (t) => {
  const { one, project, path } = await planned('Counts');
  const page = await visit(t);
  await page.route(`**/api/project/${project.id}/guide`, async (route) => {
    const response = await route.fetch();
    const guide = await response.json();
    const [first, second] = guide.hypotheses;
    Object.assign(first, { people: 2, supporting: 1, contradicting: 0, mixed: 1 });
    Object.assign(second, { people: 0, supporting: 0, contradicting: 0, mixed: 0 });
    guide.hypotheses.push({ ...second, id: crypto.randomUUID() });
    await route.fulfill({ response, json: guide });
  });
  await enter(page, one, path);
  const open = page.getByRole('region', { name: 'What is still open' });
  await open.getByText('1 for, 0 against, 1 mixed, of 2 people').waitFor();
  await open.getByText('no interview was read for it yet').waitFor();
  await open.getByText('More is open: a later interview can ask about it.').waitFor();
});

test('the guide fits a phone, and the dark', async (t) => {
  const { one, path } = await planned('Pockets');
  const page = await visit(t, { width: 390, height: 800, colorScheme: 'dark' });
  await enter(page, one, path);
  await page.getByRole('region', { name: 'Left out' }).waitFor();
  await requireAccessible(page);
  await picture(page, 'guide-narrow-dark');
});

test('without hypotheses, the guide says what to do first', async (t) => {
  const one = await person('Empty');
  const project = await one.project();
  const page = await visit(t);
  await enter(page, one, `${project.path}/guide`);
  await page.getByText('Write down what you believe first:').waitFor();
  await page.getByText('There are no personas yet.').waitFor();
  assert.equal((await asked(page)).length, 6);
  assert.equal(await page.getByRole('region', { name: 'What is still open' }).count(), 0);
  await requireAccessible(page);
  await picture(page, 'guide-empty');

  const reader = await person('Guide Reader');
  await joined(one, project, reader, 'viewer');
  const their = await visit(t);
  await enter(their, reader, `${project.path}/guide`);
  await their.getByText('Editors of this workspace write down hypotheses first:').waitFor();
});

test('advice is given while a question is typed, and does not keep it from being saved', async (t) => {
  const one = await person('Advised');
  const project = await one.project('People lose receipts when they travel.');
  const page = await visit(t);
  await enter(page, one, `${project.path}/questions`);
  await page.getByRole('button', { name: 'New question' }).click();
  const dialog = page.getByRole('dialog', { name: 'New question' });
  const field = dialog.getByLabel('Question');
  const advice = dialog.getByRole('status');
  await field.fill("Don't you think that receipts are a pain?");
  await advice.getByText('This suggests the answer.').waitFor();
  await requireAccessible(page);
  await picture(page, 'question-advice');
  await field.fill('Would you pay for an app that keeps your receipts?');
  await advice.getByText('This asks what somebody would do.').waitFor();

  // What was said of an earlier text is gone before there is an answer about the new one.
  let asks;
  const route = new Promise((resolve) => (asks = resolve));
  await page.route('**/guide/check', (one) => asks(one), { times: 1 });
  await field.fill('Would you buy an app that keeps your receipts?');
  const unanswered = await route;
  assert.equal(await advice.textContent(), '');
  await unanswered.continue();
  await advice.getByText('This asks what somebody would do.').waitFor();
  await field.fill('When did you last lose a receipt?');
  await eventually(async () => (await advice.textContent()) === '');

  await field.fill('Would you pay for it?');
  await dialog.getByRole('button', { name: 'Add question' }).click();
  await page.locator('.questions .statement').getByText('Would you pay for it?').waitFor();
});
