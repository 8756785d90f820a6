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

test('in review what somebody else judged appears at once, and is replaced if one says so', async (t) => {
  const { one, project, pages } = await together(t, ({ hypotheses: [h] }) => `/review?h=${h.id}`);
  const [ana, ben] = pages;
  for (const page of pages) {
    await mark(page).first().waitFor();
    await quiet(page);
  }
  const first = await shown(ana);
  assert.equal(await shown(ben), first);
  await ana.keyboard.press('r');
  await status(ben, /^Ana rejected this just now\.$/).waitFor();
  assert.equal(await shown(ben), first, 'the quote that one looks at stays');

  await ben.keyboard.press('1');
  await question(ben)
    .getByText(/Ana rejected this just now\..*Replace it\?/)
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
  await status(ana, /^Ben accepted this as “supports” just now\.$/).waitFor();

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
    .getByText(/Ana rejected this just now\./)
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
    .getByText(/^Ana rejected this just now\.$/)
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
    .getByText(/Ana rejected this just now\..*Replace it\?/)
    .waitFor();
  await question(ben).getByRole('button', { name: 'Use mine' }).press('Enter');
  await eventually(async () => (await reviews(one, project))[first] === 'accepted');
  await gone(question(ben));
});

test('who says the same as somebody else does not undo theirs without a question', async (t) => {
  const { one, project, pages } = await together(t, () => '/evidence');
  const [, ben] = pages;
  await ben.context().route(/evidence\.reviewed_at|updated_at=gt/, (route) => route.abort()); // no news
  const begin = await quoteOf(ben.getByRole('article').first());
  const card = ben.getByRole('article').filter({ hasText: begin });
  await one.call('PATCH', `/rest/v1/evidence?project_id=eq.${project.id}`, { review: 'accepted' });
  await card.getByRole('button', { name: 'Accept' }).click();
  await card.getByText('accepted by Ana').waitFor();
  await ben.locator('body').press('u');
  await question(ben)
    .getByText(/Ana accepted this .* just now\..*Replace it\?/)
    .waitFor();
  assert.equal((await reviews(one, project))[begin], 'accepted');
  await question(ben).getByRole('button', { name: 'Keep theirs' }).click();
  await gone(question(ben));
  assert.equal((await reviews(one, project))[begin], 'accepted');
  await ben.context().unrouteAll({ behavior: 'ignoreErrors' });
});

test('who keeps what somebody else judged keeps it from later judgements, too', async (t) => {
  const { one, project } = await judged('Ana');
  const all = `/rest/v1/evidence?project_id=eq.${project.id}`;
  await one.call('PATCH', all, { review: 'accepted' });
  const other = await person('Ben');
  await joined(one, project, other, 'editor');
  const page = await visit(t);
  await page.route(/evidence\.reviewed_at|updated_at=gt|\/api\/events/, (route) => route.abort()); // no news
  await enter(page, other, `${project.path}/evidence`);
  const cards = page.getByRole('article');
  await cards.nth(2).waitFor();
  await quiet(page);
  const [first, second, third] = await Promise.all([0, 1, 2].map((i) => quoteOf(cards.nth(i))));
  const card = (begin) => cards.filter({ hasText: begin });
  const press = (begin, name) => card(begin).getByRole('button', { name, exact: true }).click();
  const unsent = (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue());
  await page.route('**/rest/v1/evidence?*', unsent);
  for (const begin of [first, second, third]) await press(begin, 'Reject');
  await press(second, 'Accept');
  for (const begin of [first, third]) await card(begin).getByRole('checkbox').click();
  const selection = page.getByRole('region', { name: 'Selection' });
  await selection.getByRole('button', { name: 'Accept' }).click();
  for (const begin of [first, second])
    await one.call('PATCH', `${all}&quote=like.${encodeURIComponent(begin)}*`, { review: 'suggested' });
  await page.unroute('**/rest/v1/evidence?*', unsent);
  for (const begin of [first, second]) {
    const asked = question(page).filter({ hasText: begin });
    await asked.getByText(/Ana put this back to be reviewed/).waitFor();
    await asked.getByRole('button', { name: 'Keep theirs' }).click();
    await gone(asked);
  }
  await page.getByText('1 quote accepted. 1 stayed as somebody else judged it in the meantime.').waitFor();
  await gone(page.getByText('Saving…'));
  const now = await reviews(one, project);
  assert.deepEqual([now[first], now[second], now[third]], ['suggested', 'suggested', 'accepted']);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
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
