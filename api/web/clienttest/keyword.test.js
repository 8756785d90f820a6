// Interviews that only keyword matching has read say nothing about what people said, and a model reads them
// at once. The tests share a project, which the model has read at the end.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import {
  base,
  byKeyword,
  enter,
  eventually,
  gone,
  heading,
  kim,
  PARSE_MS,
  resumed,
  visit as visits,
} from './harness.js';

const visit = (t) => visits(t, { patience: PARSE_MS });
const path = `/projects/${byKeyword}`;
const claims = /said nothing about it|nothing (was )?found|That is a result/i;

// project returns the user, the ids of the hypotheses, and a function that returns that of an interview.
async function project() {
  const one = await resumed(kim);
  const rows = (table, name) =>
    one.call('GET', `/rest/v1/${table}?project_id=eq.${byKeyword}&select=id,${name}&order=created_at`);
  const [hypotheses, imports] = [await rows('hypotheses', 'statement'), await rows('imports', 'title')];
  const idOf = (all, name, begin) => all.find((row) => row[name].startsWith(begin)).id;
  return {
    one,
    pasted: idOf(hypotheses, 'statement', 'The card'),
    dentists: idOf(hypotheses, 'statement', 'Dentists'),
    interview: (title) => idOf(imports, 'title', title),
  };
}

test('keyword matching never says that people said nothing', async (t) => {
  const page = await visit(t);
  const { dentists, interview } = await project();
  await enter(page, kim, path);
  await page.getByText('3 interviews were read by keyword only.').waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'Dentists' });
  await row.getByText('Keyword matching found nothing that counts').waitFor();

  await page.goto(`${base}${path}/evidence?h=${dentists}`);
  await page.getByRole('heading', { name: 'No evidence yet' }).waitFor();
  await page.getByText('Keywords were matched in 3 interviews, without finding anything').waitFor();
  await page
    .getByRole('region', { name: 'Answer' })
    .getByText('Keyword matching found nothing that counts')
    .waitFor();
  const gaps = page.locator('.gaps');
  await gaps.getByText('nothing by keywords', { exact: true }).waitFor();
  await gaps.getByText('The hypothesis is in English, the interview in German.').waitFor();
  await gaps.getByText('or word the hypothesis in German too.').waitFor();
  assert.doesNotMatch(await page.locator('main').textContent(), claims);

  await page.goto(`${base}${path}/findings?h=${dentists}`);
  const unmatched = 'Keyword matching found nothing that counts in anna, dana, omar (no AI).';
  await page.getByText(unmatched).waitFor();
  assert.doesNotMatch(await page.locator('main').textContent(), claims);
  const download = page.waitForEvent('download');
  await page.getByRole('combobox', { name: 'Save as' }).selectOption('Markdown');
  const text = readFileSync(await (await download).path(), 'utf8');
  assert.ok(text.includes('Keyword matching found nothing that counts in anna, dana, omar'), text);
  assert.doesNotMatch(text, claims);

  await page.goto(`${base}/imports/${interview('omar')}`);
  await page.getByText('100% read by keyword match, no AI').waitFor();
  await page.getByRole('heading', { name: 'Nothing by keywords' }).waitFor();
  assert.equal(await page.locator('.answer').getByText('nothing by keywords').count(), 2);
  assert.doesNotMatch(await page.locator('main').textContent(), claims);

  await page.goto(`${base}/imports/${interview('anna')}`);
  await page.getByText(/The hypotheses are in English, the interview in German\./).waitFor();
});

test('a full queue ends the start of several analyses, and says how many began', async (t) => {
  const page = await visit(t);
  const asked = [];
  await page.route('**/api/import/*/parse', (route) => {
    asked.push(route.request().url());
    return asked.length === 1
      ? route.fulfill({ json: { status: 'queued' } })
      : route.fulfill({
          status: 429,
          headers: { 'Retry-After': '30' },
          json: { error: 'queue_full', message: 'The queue of this workspace is full.' },
        });
  });
  await enter(page, kim, `${path}/interviews`);
  await page.getByRole('button', { name: 'Read with the AI model' }).click();
  const dialog = page.getByRole('dialog', { name: 'Read 3 interviews with the AI model?' });
  await dialog.getByText('anna, dana, omar').waitFor();
  await dialog.getByText(/^About \d+ calls to the AI model, [\d,]+ tokens/).waitFor();
  await dialog.getByRole('button', { name: 'Read' }).click();
  await page.getByText('Started 1 of 3 analyses. The queue of this workspace is full.').waitFor();
  await gone(dialog);
  assert.equal(asked.length, 2);
});

test('what a model has read is told apart, per hypothesis and interview', async (t) => {
  const page = await visit(t);
  const { one, dentists, interview } = await project();
  const dana = interview('dana');
  await one.call('POST', `/api/import/${dana}/parse`, { hypothesisIds: [dentists] });
  await eventually(async () => (await one.call('GET', `/api/import/${dana}`)).status === 'parsed');
  await enter(page, kim, `${path}/evidence?h=${dentists}`);
  const gaps = page.locator('.gaps');
  const line = (text) => gaps.locator('p').filter({ hasText: text });
  await eventually(async () => {
    const said = await line('nothing found').textContent();
    return said.replace(/\s+/g, ' ').trim() === 'nothing found in dana.';
  });
  await line('nothing by keywords').getByText('anna').waitFor();
  assert.equal(await line('nothing by keywords').getByText('dana').count(), 0);
  await line('keyword match only').getByText('omar').waitFor();
  await page.getByText('1 interview was searched for this hypothesis, and nothing was found.').waitFor();
  await line('keyword match only').getByRole('button', { name: 'Read with the AI model' }).click();
  const dialog = page.getByRole('dialog', { name: 'Read 2 interviews with the AI model?' });
  await dialog.getByText(/^About \d+ calls to the AI model/).waitFor();
  await page.keyboard.press('Escape');

  await page.goto(`${base}/imports/${dana}`);
  const answer = (words) => page.locator('.answer').filter({ hasText: words });
  await answer('Dentists').getByText('nothing found').waitFor();
  const said = await page.locator('main').textContent();
  assert.match(said, /100% read by test-model/);
  assert.match(said, /100% read by keyword match, no AI/);
  await page.getByRole('article').getByText('keyword match').first().waitFor();

  await page.goto(`${base}${path}/findings?h=${dentists}`);
  await page.getByText('Nothing found in dana.').waitFor();
  await page.getByText('Keyword matching found nothing that counts in anna, omar (no AI).').waitFor();
});

test('one click has the model read what only keyword matching has read', async (t) => {
  const page = await visit(t);
  const { dentists, interview } = await project();
  await enter(page, kim, `${path}/interviews`);
  await page.getByText('3 interviews were read by keyword only.').waitFor();
  await page.getByRole('button', { name: 'Read with the AI model' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^About \d+ calls to the AI model/).waitFor();
  await dialog.getByRole('button', { name: 'Read' }).click();
  await gone(dialog);
  await gone(page.getByText('read by keyword only'));
  await eventually(async () => (await page.locator('.imports .tag.parsed').count()) === 3);
  await gone(page.getByText('keyword match'));
  await page.goto(`${base}${path}/evidence?h=${dentists}`);
  await page
    .getByText('3 interviews were searched for this hypothesis, and nothing was found. That is a result too.')
    .waitFor();
  await page.goto(`${base}/imports/${interview('omar')}`);
  await heading(page, 'omar').waitFor();
  await page.getByText('100% read by test-model').waitFor();
  await page.getByText('this interview says nothing about the hypotheses').waitFor();
});
