// Quotes that answer a hypothetical or a leading question, and what says so.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { enter, person, picture, visit, within } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const checked = async (page) => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
    [],
  );
};

const text =
  'Ben: How did you file the last receipt that you got?\n' +
  'Ana: I put it into the shoe box under the desk.\n' +
  'Ben: Good – would you pay for a tool that files them for you?\n' +
  'Ana: Sure, I would pay for that every month.\n' +
  'Ben: You hate that shoe box, don’t you?\n' +
  'Ana: Yes, I do hate it, it is always in the way.\n';
const quotes = {
  plain: 'I put it into the shoe box',
  hypothetical: 'I would pay for that',
  leading: 'I do hate it',
};

async function weighed(name) {
  const one = await person(name);
  const project = await one.project('People pay for a tool that files receipts.');
  const id = await one.upload(project, 'ana.txt', text);
  await one.call('PATCH', `/rest/v1/import_speakers?import_id=eq.${id}&speaker=eq.Ben`, {
    role: 'interviewer',
  });
  const [hypothesis] = project.hypotheses;
  for (const quote of Object.values(quotes)) {
    const [e] = await one.call('POST', '/rest/v1/evidence', { project_id: project.id, import_id: id, quote });
    const link = { evidence_id: e.id, hypothesis_id: hypothesis.id };
    await one.call('POST', '/rest/v1/evidence_hypotheses', {
      ...link,
      stance: 'supports',
      strength: 'medium',
    });
    await one.call('POST', '/rest/v1/finding_quotes', link);
  }
  return { one, project, id };
}

const card = (page, quote) => page.getByRole('article').filter({ hasText: quote });
const marks = {
  hypothetical: 'answers a hypothetical question',
  leading: 'answers a leading question',
};

// found has links of the data API say that they were found as stronger evidence than they count as.
const found = (page, given_strength) =>
  page.route('**/rest/v1/evidence_hypotheses?*', async (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    const response = await route.fetch();
    const rows = await response.json();
    return route.fulfill({
      response,
      json: rows.map((row) => (row.evidence?.asked_kind ? { ...row, given_strength } : row)),
    });
  });

test('cards say what a quote answers, and show the question', async (t) => {
  const { one, project, id } = await weighed('Weighs');
  const page = await visit(t);
  await found(page, 'strong');
  await enter(page, one, `${project.path}/evidence`);
  await card(page, quotes.hypothetical).getByText(marks.hypothetical).waitFor();
  await card(page, quotes.leading).getByText(marks.leading).waitFor();
  assert.equal(await card(page, quotes.plain).getByText('question').count(), 0);
  assert.equal(
    await card(page, quotes.leading).locator('.strength').getAttribute('title'),
    'Medium at most, because it answers a leading question; it was found as strong.',
  );
  await card(page, quotes.hypothetical).click();
  await card(page, quotes.hypothetical).getByRole('button', { name: 'Why' }).click();
  await card(page, quotes.hypothetical).getByText('it was found as strong.').waitFor();
  const question = card(page, quotes.hypothetical).locator('.question');
  await question.getByText('would you pay for a tool that files them for you?').waitFor();
  await checked(page);
  await picture(page, 'weighed-board');
  await question.getByRole('link', { name: 'Open' }).click();
  await within(
    page.locator('.turn.placed').filter({ hasText: 'would you pay' }),
    page.getByRole('region', { name: 'Transcript, scrollable' }),
  );

  await t.test('beside the transcript, too', async () => {
    await card(page, quotes.leading).getByText(marks.leading).waitFor();
    assert.match(
      await page.locator('mark', { hasText: quotes.leading }).first().getAttribute('title'),
      /answers a leading question/,
    );
    await card(page, quotes.leading).getByRole('button', { name: 'Why' }).click();
    await card(page, quotes.leading).getByText('You hate that shoe box, don’t you?').waitFor();
    await checked(page);
    await picture(page, 'weighed-interview');
  });

  await t.test('until Ben asks nothing any more', async () => {
    await one.call('PATCH', `/rest/v1/import_speakers?import_id=eq.${id}&speaker=eq.Ben`, { role: 'other' });
    await page.reload();
    await card(page, quotes.leading).waitFor();
    assert.equal(await page.getByRole('article').getByText(marks.leading).count(), 0);
  });
});

test('review and search say what a quote answers', async (t) => {
  const { one, project } = await weighed('Reviewer');
  await one.call('PATCH', `/rest/v1/evidence?project_id=eq.${project.id}`, { review: 'suggested' });
  const page = await visit(t);
  await enter(page, one, `${project.path}/review?list=1`);
  for (const mark of Object.values(marks)) await page.getByText(mark).first().waitFor();
  await page.getByRole('button', { name: quotes.leading, exact: true }).click();
  await page.locator('.stage').getByText(marks.leading).waitFor();
  await checked(page);
  await picture(page, 'weighed-review');
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search transcripts, quotes, hypotheses and interviews').fill('would pay for that');
  await page.getByText(`Quote · ${marks.hypothetical}`).waitFor();
});

test('exports and findings say what a quote answers', async (t) => {
  const { one, project } = await weighed('Exporter');
  const page = await visit(t);
  await found(page, 'strong');
  await enter(page, one, `${project.path}/evidence`);
  await card(page, quotes.plain).waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const save = async (format) => {
    await page.getByRole('radio', { name: format }).check();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ]);
    return readFileSync(await file.path(), 'utf8');
  };
  const markdown = await save(/^Markdown/);
  for (const mark of Object.values(marks)) assert.equal(markdown.split(mark).length, 2, mark);

  await page.goto(new URL(`${project.path}/findings`, page.url()).href);
  const figure = (quote) => page.locator('figure').filter({ hasText: quote });
  await figure(quotes.leading).getByText(marks.leading).waitFor();
  await figure(quotes.hypothetical).getByText(marks.hypothetical).waitFor();
  assert.equal(
    await figure(quotes.plain)
      .getByText(/question/)
      .count(),
    0,
  );
  await checked(page);
  await picture(page, 'weighed-findings');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByLabel('The link', { exact: true }).inputValue();
  const guest = await visit(t, { width: 390, height: 844 });
  await guest.goto(link);
  await guest.locator('figure').filter({ hasText: quotes.leading }).getByText(marks.leading).waitFor();
  await picture(guest, 'weighed-shared-narrow');
});
