// The board of themes while it loads, proposes and counts words, and in small and dark windows.
import assert from 'node:assert/strict';
import test from 'node:test';
import { column, interviewed, said, stored, themed } from './coded.js';
import { enter, eventually, person, picture, quiet, visit } from './harness.js';
import { accessible, choose, done, press } from './themeboard.js';

test('what is loaded while a change is stored does not take it back', async (t) => {
  const page = await visit(t);
  const one = await person('Quick');
  const project = await interviewed(one);
  const tips = await themed(one, project, 'Tips');
  await enter(page, one, `${project.path}/themes`);
  await column(page, 'No theme yet').getByText(said.Ada[0]).waitFor();
  // A change elsewhere has the page load, which does not end before the next change begins.
  let loads = 0;
  await page.route('**/rest/v1/evidence_themes?*', (route) => (loads++ === 0 ? undefined : route.continue()));
  let store;
  const stores = new Promise((resolve) => {
    store = resolve;
  });
  await page.route('**/rest/v1/rpc/move_evidence', async (route) => {
    await stores;
    await route.continue();
  });
  await one.call('PATCH', `/rest/v1/themes?id=eq.${tips.id}`, { description: 'About tips.' });
  await eventually(() => loads === 1);
  await column(page, 'No theme yet').getByText(said.Ada[0]).click();
  await press(page, 'm');
  await choose(page, 'Move 1 quote to', 'Tips');
  await column(page, 'Tips').getByText(said.Ada[0]).waitFor();
  await page.waitForTimeout(1000);
  assert.equal(await column(page, 'Tips').getByText(said.Ada[0]).count(), 1);
  store();
  await done(page, /Moved 1 quote/);
  await eventually(() => loads > 1);
  await column(page, 'Tips').getByText(said.Ada[0]).waitFor();
  await stored(one, project, { Tips: [said.Ada[0]] });
});

test('a run that proposes themes is started, followed and cancelled', async (t) => {
  const page = await visit(t);
  const one = await person('Starter');
  const project = await interviewed(one);
  let run = null;
  const asked = [];
  await page.route('**/rest/v1/theme_runs?*', (route) => route.fulfill({ json: run ? [run] : [] }));
  await page.route('**/api/project/*/themes/*', (route) => {
    const what = new URL(route.request().url()).pathname.split('/').at(-1);
    asked.push(what);
    if (what === 'estimate' && asked.length === 1)
      return route.fulfill({
        status: 422,
        json: { title: 'Unprocessable', detail: 'The project is too large.' },
      });
    if (what === 'estimate')
      return route.fulfill({ json: { calls: 4, inputTokens: 8000, outputTokens: 900 } });
    run = what === 'cancel' ? { ...run, status: 'canceled', error_code: 'canceled' } : begun;
    return route.fulfill({
      status: what === 'cancel' ? 200 : 202,
      json: { themeRunId: '1', status: 'queued' },
    });
  });
  const begun = {
    id: '00000000-0000-4000-8000-000000000001',
    status: 'reading',
    waiting_reason: null,
    progress_done: 1,
    progress_total: 4,
    imports_total: 3,
    coverage: 0.2,
    proposed_count: 0,
    quotes_count: 0,
    unused_count: 0,
    rejected_count: 0,
    model: 'test-model',
    error_code: null,
    error_message: null,
    created_at: '2031-01-01T00:00:00Z',
    finished_at: null,
  };
  await enter(page, one, `${project.path}/themes`);
  await page.getByRole('button', { name: 'Propose themes' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  assert.ok(await page.getByRole('dialog').getByRole('button', { name: 'Propose themes' }).isDisabled());
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Propose themes' }).click();
  await page.getByText('It takes about 8.9K tokens.').waitFor();
  await picture(page, 'themes-propose');
  await page.getByRole('dialog').getByRole('button', { name: 'Propose themes' }).click();
  await page.getByText('1 of 3 parts read.').waitFor();
  await page.getByRole('progressbar', { name: 'Proposing themes' }).waitFor();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.locator('.run').getByText('It was cancelled.').waitFor();
  run = {
    ...begun,
    status: 'done',
    proposed_count: 2,
    quotes_count: 9,
    unused_count: 2,
    rejected_count: 1,
    finished_at: '2031-01-01T00:01:00Z',
  };
  await page.reload();
  await page
    .getByText('2 themes with 7 quotes; 2 quotes not grouped; 1 quote left out, not proven.')
    .waitFor();
  assert.deepEqual(asked, ['estimate', 'estimate', 'propose', 'cancel']);
});

test('without a model, words that many people say are shown with their places', async (t) => {
  const page = await visit(t);
  const one = await person('Counter');
  const project = await interviewed(one);
  await page.route('**/config.json', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), usesModel: false } });
  });
  let asked = 0;
  await page.route('**/api/project/*/words', (route) => {
    asked++;
    return route.fulfill({
      json: {
        words: [
          {
            word: 'tips',
            forms: ['Tips', 'tips'],
            people: 3,
            interviews: 3,
            places: [
              {
                importId: project.id,
                importTitle: 'Cleo',
                ordinal: 1,
                speaker: 'Cleo',
                startMs: null,
                text: `Né, ${said.Cleo[0]}`,
                textFrom: 0,
                at: [5, 9],
              },
            ],
          },
        ],
        people: 3,
        interviews: 3,
        readTurns: 6,
        truncated: false,
      },
    });
  });
  await enter(page, one, `${project.path}/themes`);
  await column(page, 'No theme yet').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Propose themes' }).count(), 0);
  assert.equal(asked, 0, 'closed, it asks for nothing');
  await page.getByRole('heading', { name: 'Words that many say and no hypothesis has' }).click();
  await page.getByText('There is no AI model on this server').waitFor();
  await page.getByRole('button', { name: /tips\s+3 of 3 people · 3 interviews/ }).click();
  await page.getByRole('listitem').locator('mark').getByText('Tips').waitFor();
  assert.match(
    await page.getByRole('link', { name: 'Cleo', exact: true }).getAttribute('href'),
    /^\/imports\/.*\?u=1&q=tips/,
  );
  await picture(page, 'themes-words');
  await accessible(page);
  await page.getByRole('link', { name: 'All places' }).click();
  await page
    .getByRole('dialog')
    .getByText(/go into a jar/)
    .first()
    .waitFor();
});

test('on a phone and in the dark', async (t) => {
  const page = await visit(t, { width: 390, height: 844, hasTouch: true });
  const one = await person('Pocket');
  const project = await interviewed(one);
  await themed(one, project, 'Tips', [said.Ada[0], said.Ben[0]]);
  await themed(one, project, 'Family', [said.Ben[1]]);
  await enter(page, one, `${project.path}/themes`);
  await column(page, 'No theme yet').getByRole('article').first().click();
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok((await wide()) <= 0);
  await picture(page, 'themes-390');
  await page.locator('.theme-bar').getByRole('button', { name: 'Move', exact: false }).click();
  await choose(page, 'Move 1 quote to', 'Tips');
  await done(page, /Moved 1 quote/);
  await page.emulateMedia({ colorScheme: 'dark' });
  await column(page, 'Tips').getByRole('heading').click();
  await column(page, 'Tips').scrollIntoViewIfNeeded();
  await picture(page, 'themes-390-dark');
  await accessible(page);
  await page.getByRole('link', { name: 'By group' }).click();
  await page.locator('.theme-matrix table').waitFor();
  assert.ok((await wide()) <= 0);
  await picture(page, 'themes-390-matrix');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Board' }).click();
  await column(page, 'Tips').waitFor();
  await quiet(page);
  await picture(page, 'themes-dark');
});
