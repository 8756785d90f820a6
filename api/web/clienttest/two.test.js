// Two people who judge the same quotes at the same time.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, gone, person, picture, quiet, visit } from './harness.js';
import { joined, judged, quoteOf, reviews } from './judged.js';

const mark = (page) => page.locator('.turn-row mark');
const shown = async (page) => (await mark(page).allTextContents()).join(' ').slice(0, 20);
const status = (page, hasText) => page.getByRole('status').filter({ hasText });
const question = (page) => page.getByRole('alert', { name: 'Conflict' });

// together opens a view of the same project for two editors.
async function together(t, view) {
  const { one, project } = await judged('Ana');
  const other = await person('Ben');
  await joined(one, project, other, 'editor');
  const pages = [];
  for (const who of [one, other]) {
    const page = await visit(t);
    await enter(page, who, project.path + view(project));
    pages.push(page);
  }
  return { one, project, pages };
}

test('in review the judgement of somebody else appears at once, and is replaced only if one says so', async (t) => {
  const { one, project, pages } = await together(t, ({ hypotheses: [h] }) => `/review?h=${h.id}`);
  const [ana, ben] = pages;
  for (const page of pages) {
    await mark(page).first().waitFor();
    await quiet(page);
  }
  const first = await shown(ana);
  assert.equal(await shown(ben), first);
  await ana.keyboard.press('r');
  await status(ben, /^Ana rejected this \d+ s ago\.$/).waitFor();
  assert.equal(await shown(ben), first, 'the quote that one looks at stays');

  await ben.keyboard.press('1');
  await question(ben)
    .getByText(/Ana rejected this \d+ s ago\..*Replace it\?/)
    .waitFor();
  assert.equal(await shown(ben), first);
  assert.equal((await reviews(one, project))[first], 'rejected');
  await question(ben).getByRole('button', { name: 'Keep theirs' }).press('Enter'); // it has the focus
  await gone(question(ben));
  assert.equal((await reviews(one, project))[first], 'rejected');

  await ben.keyboard.press('1');
  await question(ben).getByRole('button', { name: 'Use mine' }).click();
  await eventually(async () => (await reviews(one, project))[first] === 'accepted');
  await gone(question(ben));
  await ana.keyboard.press('k');
  await status(ana, /^Ben accepted this as “supports” \d+ s ago\.$/).waitFor();

  // Undo would replace it, too.
  await ana.keyboard.press('u');
  await question(ana).getByRole('button', { name: 'Keep theirs' }).click();
  assert.equal((await reviews(one, project))[first], 'accepted');
  for (const page of pages) await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('on the board, too', async (t) => {
  const { one, project, pages } = await together(t, () => '/evidence');
  const [ana, ben] = pages;
  for (const page of pages) {
    await page.getByRole('article').first().waitFor();
    await quiet(page);
  }
  const begin = await quoteOf(ana.getByRole('article').first());
  const card = (page) => page.getByRole('article').filter({ hasText: begin });
  await card(ana).getByRole('button', { name: 'Reject' }).click();
  await card(ben).getByText('rejected by Ana').waitFor();
  await card(ben).getByRole('button', { name: 'Accept' }).click();
  await question(ben)
    .getByText(/Ana rejected this \d+ s ago\./)
    .waitFor();
  assert.equal((await reviews(one, project))[begin], 'rejected');
  await question(ben).getByRole('button', { name: 'Use mine' }).click();
  await eventually(async () => (await reviews(one, project))[begin] === 'accepted');
  await card(ana).getByText('accepted by Ben').waitFor();
});

test('in the list of a review a selection leaves it as it is, and a single judgement asks', async (t) => {
  const { one, project, pages } = await together(t, ({ hypotheses: [h] }) => `/review?h=${h.id}&list=1`);
  const [ana, ben] = pages;
  const line = (page, i) => page.locator('.review-list li:not(.space)').nth(i);
  for (const page of pages) {
    await line(page, 1).waitFor();
    await quiet(page);
  }
  const begin = async (i) => (await line(ben, i).locator('.said').textContent()).trim().slice(0, 20);
  const [first, second] = [await begin(0), await begin(1)];
  await ana.keyboard.press('j');
  await ana.keyboard.press('r');
  await line(ben, 0)
    .getByText(/^Ana rejected this \d+ s ago\.$/)
    .waitFor();
  for (const i of [0, 1]) await line(ben, i).getByRole('checkbox').click();
  await picture(ben, 'review-list-newer');
  const accept = ben.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Accept' });
  await accept.click();
  await ben.getByText('1 quote accepted. 1 stayed as somebody else judged it in the meantime.').waitFor();
  const now = await reviews(one, project);
  assert.equal(now[first], 'rejected');
  assert.equal(now[second], 'accepted');

  await line(ben, 0).getByRole('checkbox').click();
  await accept.click();
  await question(ben)
    .getByText(/Ana rejected this \d+ s ago\..*Replace it\?/)
    .waitFor();
  await question(ben).getByRole('button', { name: 'Use mine' }).press('Enter');
  await eventually(async () => (await reviews(one, project))[first] === 'accepted');
  await gone(question(ben));
});

test('one sees who is there, and what others did is undone where its history is', async (t) => {
  const { one, project, pages } = await together(t, () => '/evidence');
  const [ana, ben] = pages;
  await ben.getByText('Also here: Ana').waitFor();
  const begin = await quoteOf(ana.getByRole('article').first());
  const card = (page) => page.getByRole('article').filter({ hasText: begin });
  await card(ana).getByRole('button', { name: 'Reject' }).click();
  await card(ben).getByText('rejected by Ana').waitFor();
  await card(ben).getByRole('button', { name: 'Why' }).click();
  await card(ben).getByText('History').click();
  await card(ben).getByRole('listitem').filter({ hasText: 'Ana: to review → rejected' }).waitFor();
  await card(ben).getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => (await reviews(one, project))[begin] === 'suggested');
  await card(ben).getByRole('listitem').filter({ hasText: 'Ben: rejected → to review' }).waitFor();
  assert.equal(await question(ben).count(), 0, 'who sees the history is not asked again');
});

test('the dialog does not replace a stance that somebody else has changed', async (t) => {
  const { one, project, pages } = await together(t, () => '/evidence');
  const [, ben] = pages;
  await ben.context().route(/evidence\.reviewed_at|updated_at=gt/, (route) => route.abort()); // no news
  const card = ben.getByRole('region', { name: /^For/ }).getByRole('article').first();
  await card.getByRole('button', { name: 'Edit' }).click();
  const dialog = ben.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Neutral' }).check();
  await one.call('PATCH', `/rest/v1/evidence_hypotheses?project_id=eq.${project.id}`, {
    stance: 'contradicts',
  });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/^Somebody else has changed this to “contradicts, \w+” in the meantime\./).waitFor();
  await ben.context().unrouteAll({ behavior: 'ignoreErrors' });
});
