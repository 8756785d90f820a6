// Quotes that are found otherwise than by reading get themes too: by searching, asking and reviewing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { answering, answerTo, finished, interviewed } from './answering.js';
import { enter, eventually, gone, heading, keepMessages, person, picture, quiet, visit } from './harness.js';
import { joined, judged } from './judged.js';

const quotes = (one, project) =>
  one.call(
    'GET',
    `/rest/v1/evidence?project_id=eq.${project.id}&order=created_at,byte_start` +
      '&select=id,quote,origin,review,evidence_hypotheses(stance),evidence_themes(review,themes(name))',
  );
const themesOf = (e) => e.evidence_themes.map((l) => l.themes.name).sort();
const coded = async (one, project) => (await quotes(one, project)).filter((e) => themesOf(e).length > 0);
const picker = (page) => page.getByRole('dialog', { name: 'Theme' });
const chips = (row) => row.getByRole('list', { name: 'Themes' }).getByRole('listitem');

test('hits of a search get a theme, one or several at once', async (t) => {
  const page = await visit(t);
  await keepMessages(page);
  const one = await person('Finds');
  const project = await one.project();
  for (const [name, text] of [
    ['ola.txt', 'Q: And then?\nOla: The mailbox was full in a week.\nOla: Nobody reads the mailbox.\n'],
    ['maya.txt', 'Q: And you?\nMaya: My mailbox is private.\n'],
  ])
    await one.upload(project, name, text);
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search transcripts, quotes').fill('mailbox');
  await page.getByText('3 places in 2 interviews.').waitFor();
  await page.keyboard.press('ArrowDown');
  await eventually(() => page.evaluate(() => document.activeElement.matches('[data-hit]')));
  const first = await page.evaluate(() => document.activeElement.closest('li').dataset.key);
  await page.keyboard.press('t');
  await page.keyboard.type('Mail');
  await page.keyboard.press('Enter');
  await eventually(async () => (await coded(one, project)).length === 1);
  const row = page.locator(`[data-key="${first}"]`);
  await chips(row).getByText('Mail').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.closest('li')?.dataset.key), first);

  // The tick takes it away.
  const mail = async (name) => {
    await page.keyboard.press('t');
    await page.keyboard.type('Mail');
    await page.getByRole('option', { name }).waitFor();
    await page.keyboard.press('Enter');
  };
  await mail(/Mail.*✓/);
  await eventually(async () => (await coded(one, project)).length === 0);
  await eventually(async () => (await chips(row).count()) === 0);
  await mail('Mail');
  await eventually(async () => (await coded(one, project)).length === 1);
  await chips(row).getByText('Mail').waitFor();

  // What fails half-way leaves no theme.
  await page.keyboard.press('ArrowDown');
  await page.route(/\/rest\/v1\/evidence\?/, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 400, json: { code: '23514', message: 'No quotes.' } })
      : route.continue(),
  );
  await page.keyboard.press('t');
  await page.keyboard.type('Letters');
  await page.keyboard.press('Enter');
  await page.getByText('No quotes.').waitFor();
  await quiet(page);
  const themes = await one.call('GET', `/rest/v1/themes?project_id=eq.${project.id}&select=name`);
  assert.deepEqual(themes, [{ name: 'Mail' }]);
  await page.unroute(/\/rest\/v1\/evidence\?/);
  await page.keyboard.press('ArrowUp');

  // The others at once, with the theme that was chosen last.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.getByText('2 places selected').waitFor();
  await page.keyboard.press('t');
  await page.getByRole('option', { name: 'Mail', selected: true }).waitFor();
  await picture(page, 'coding-search');
  await page.keyboard.press('Enter');
  await page.getByText('2 quotes are in “⁨Mail⁩”.').waitFor();
  const all = await quotes(one, project);
  assert.deepEqual(all.map(themesOf), [['Mail'], ['Mail'], ['Mail']]);
  assert.deepEqual(
    [...new Set(all.map((e) => `${e.origin} ${e.review} ${e.evidence_hypotheses.length}`))],
    ['human accepted 0'],
  );
  await row.getByRole('button', { name: 'Take out of Mail' }).click();
  await eventually(async () => (await coded(one, project)).length === 2);
});

test('a quote of an answer becomes a quote of a theme', async (t) => {
  const page = await visit(t);
  await keepMessages(page);
  const { one, project, quote, path } = await interviewed('Answers');
  const answer = answerTo(project, finished(quote));
  const sent = await answering(page, [answer]);
  let release = () => {};
  const held = new Promise((resolve) => (release = () => resolve(undefined)));
  await page.route('**/rest/v1/themes?*', async (route) => {
    await held;
    await route.continue();
  });
  await enter(page, one, `${path}?a=${answer.answerId}`);
  await page.getByRole('button', { name: 'Show 1 quote' }).first().click();
  const row = page.locator('.quotes > li').first();
  await row.getByRole('link').focus();
  await page.keyboard.press('t');
  await page.keyboard.type('Access rights');
  await page.keyboard.press('Enter');
  release(); // what was typed before the themes were there counts
  await chips(row).getByText('Access rights').waitFor();
  const [stored] = await coded(one, project);
  assert.equal(stored.quote, answer.sentences[0].quotes[0].quote);
  await eventually(() => answer.sentences[0].quotes[0].evidenceId === stored.id);
  assert.ok(sent.some(([method, to]) => method === 'PATCH' && to.startsWith('/rest/v1/answer_quotes')));
  await row.getByText('evidence', { exact: true }).waitFor();
  await picture(page, 'coding-answer');

  // Another theme of the same quote.
  await row.getByRole('button', { name: 'Theme', exact: true }).click();
  await page.keyboard.type('Privacy');
  await page.keyboard.press('Enter');
  await eventually(async () => themesOf((await coded(one, project))[0]).length === 2);
  await eventually(async () => (await chips(row).count()) === 2);
});

test('quotes get themes on the board and in the review, which is about hypotheses only', async (t) => {
  const page = await visit(t);
  await keepMessages(page);
  const { one, project, ids } = await judged('Boards');
  const total = (await quotes(one, project)).length;
  const [loose] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: ids[0],
    quote: 'receipts',
  });
  await enter(page, one, `${project.path}/evidence`);
  const cards = page.locator('[data-evidence-card]');
  await cards.first().waitFor();
  await quiet(page);
  await page.keyboard.press('j');
  await page.keyboard.press('t');
  await page.keyboard.type('Time sinks');
  await page.keyboard.press('Enter');
  await eventually(async () => (await coded(one, project)).length === 1);
  const current = page.locator('[data-evidence-card][aria-current="true"]');
  await chips(current).getByText('Time sinks').waitFor();
  await gone(picker(page));
  await picture(page, 'coding-board');
  await page.keyboard.press('n');
  await page.getByRole('textbox', { name: 'Memo' }).fill('Typical.');
  await page.keyboard.press('Escape');
  await current.getByRole('button', { name: 'Notes: a memo' }).waitFor();
  await page.getByRole('link', { name: /Loose quotes\s*1/ }).waitFor();

  await page.goto(new URL(`${project.path}/review`, page.url()).href);
  await page.locator('.turn-row mark').first().waitFor();
  await page.locator('.review').getByText(`1 of ${total}`, { exact: true }).waitFor(); // not the loose one
  await quiet(page);
  await page.keyboard.press('t');
  await page.getByRole('option', { name: 'Time sinks' }).waitFor();
  await page.keyboard.type('Money');
  await page.keyboard.press('Enter');
  await chips(page.locator('.coded')).getByText('Money').waitFor();
  await picture(page, 'coding-review');
  await page.keyboard.press('v');
  await page.locator('.review-list').waitFor();
  assert.equal(await page.locator('.review-list').getByText('receipts', { exact: true }).count(), 0);
  assert.equal((await quotes(one, project)).find((e) => e.id === loose.id).review, 'suggested');
});

test('viewers see themes, and cannot give any', async (t) => {
  const page = await visit(t);
  const [one, reader] = [await person('Gives'), await person('Looks')];
  const project = await one.project();
  await joined(one, project, reader, 'viewer');
  const id = await one.upload(project, 'ola.txt', 'Q: And then?\nOla: The mailbox was full in a week.\n');
  const [theme] = await one.call('POST', '/rest/v1/themes', { project_id: project.id, name: 'Mail' });
  const [quote] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'full in a week',
    review: 'accepted',
  });
  await one.call('POST', '/rest/v1/evidence_themes', { evidence_id: quote.id, theme_id: theme.id });
  await enter(page, reader, `/imports/${id}`);
  const card = page.locator('[data-evidence-card]');
  await chips(card).getByText('Mail').waitFor();
  await page.getByRole('button', { name: /^Theme .Mail/ }).waitFor(); // in the margin
  await card.click();
  await quiet(page);
  for (const key of ['t', 'w']) await page.keyboard.press(key);
  await quiet(page);
  assert.equal(await picker(page).count(), 0);
  assert.equal(await page.getByRole('button', { name: /Take out|Quote this turn/ }).count(), 0);
  await page.goto(new URL(`${project.path}/evidence?loose=1`, page.url()).href);
  await page.getByText('Every quote belongs to a hypothesis or a theme.').waitFor();
});
