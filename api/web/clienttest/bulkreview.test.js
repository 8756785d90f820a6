// Quotes in an order and within limits, and selections that are judged at once.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, enter, eventually, gone, heading, person, picture, quiet, visit } from './harness.js';
import { joined, judged, reviews } from './judged.js';

const list = (page) => page.locator('.review-list li:not(.space)');
const bar = (page) => page.getByRole('region', { name: 'Selection' });

// pile returns a project with n quotes for and against, each with its own words.
async function pile(name, n) {
  const one = await person(name);
  const project = await one.project('Receipts take long.', 'Nobody pays.');
  const quotes = Array.from({ length: n }, (_, i) => `Receipt number ${i} took me all morning.`);
  const text = quotes.map((quote, i) => `${i % 2 ? 'Ana' : 'Ben'}: ${quote}\n`).join('');
  const interview = await one.upload(project, 'pile.txt', text);
  const rows = await one.call(
    'POST',
    '/rest/v1/evidence',
    quotes.map((quote) => ({ project_id: project.id, import_id: interview, quote, review: 'suggested' })),
  );
  const strengths = ['weak', 'medium', 'strong'];
  await one.call(
    'POST',
    '/rest/v1/evidence_hypotheses',
    rows.map(({ id }, i) => ({
      project_id: project.id,
      evidence_id: id,
      hypothesis_id: project.hypotheses[0].id,
      stance: i % 4 ? 'supports' : 'contradicts',
      strength: strengths[i % 3],
    })),
  );
  return { one, project, interview, quotes };
}
// judge judges one quote of a pile.
const judge = (who, project, i, review) =>
  who.call(
    'PATCH',
    `/rest/v1/evidence?project_id=eq.${project.id}&quote=like.*${encodeURIComponent(`number ${i} `)}*`,
    { review },
  );
const states = async (one, project) => {
  const rows = await one.call('GET', `/rest/v1/evidence?project_id=eq.${project.id}&select=review`);
  return ['suggested', 'accepted', 'rejected']
    .map((review) => `${rows.filter((row) => row.review === review).length} ${review}`)
    .filter((text) => !text.startsWith('0'))
    .join();
};

test('a review has an order and limits, which are in the address', async (t) => {
  const page = await visit(t);
  const { one, project } = await pile('Limits', 12);
  await enter(page, one, `${project.path}/review`);
  const limits = page.locator('.limits summary');
  await limits.getByText('By transcript · 12 quotes left').waitFor();
  await limits.click();
  await page.getByLabel('Order', { exact: true }).selectOption('Strongest first');
  await page.locator('.turn-row mark').getByText('Receipt number 2 ').waitFor();
  await page.getByLabel('Stance', { exact: true }).selectOption('Only contradicting');
  await limits.getByText('only contradicting · 3 quotes left, 9 outside these limits').waitFor();
  await page.locator('.turn-row mark').getByText('Receipt number 8 ').waitFor();
  await quiet(page);
  await page.keyboard.press('2');
  await page.keyboard.press('2');
  await limits.getByText('1 quote left, 9 outside these limits').waitFor();
  await eventually(async () => (await states(one, project)) === '10 suggested,2 accepted');
  await page.reload();
  await page.getByText('1 of 1', { exact: true }).waitFor();
  await page.keyboard.press('r');
  await page.getByText('1 quote reviewed, 0 left. 9 outside these limits.').waitFor();
  await page.getByRole('button', { name: 'Review the others' }).click();
  await page.getByText('1 of 9', { exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, '?order=strength');
});

test('a judgement of another hypothesis is undone as that of its own', async (t) => {
  const page = await visit(t);
  const { one, project } = await pile('Two', 1);
  const [, other] = project.hypotheses;
  const [first] = await one.call('GET', `/rest/v1/evidence?project_id=eq.${project.id}&select=id,import_id`);
  const [second] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: first.import_id,
    quote: 'number 0 took me',
    review: 'suggested',
  });
  await one.call('POST', '/rest/v1/evidence_hypotheses', {
    project_id: project.id,
    evidence_id: second.id,
    hypothesis_id: other.id,
    stance: 'neutral',
  });
  await enter(page, one, `${project.path}/review`);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await page.locator('.turn-row mark').first().waitFor();
  await page.keyboard.press('1');
  await page.getByText('2 of 2', { exact: true }).waitFor();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.keyboard.press('u');
  const stance = () =>
    one
      .call('GET', `/rest/v1/evidence_hypotheses?evidence_id=eq.${first.id}&select=stance`)
      .then(([link]) => link.stance);
  await eventually(async () => (await states(one, project)) === '2 suggested');
  await eventually(async () => (await stance()) === 'contradicts');
});

test('all quotes of a list are judged with few requests, and undone at once', async (t) => {
  const page = await visit(t);
  const { one, project } = await pile('Pile', 120);
  let patches = 0;
  page.on('request', (request) => (patches += request.method() === 'PATCH' ? 1 : 0));
  await enter(page, one, `${project.path}/review`);
  await page.getByRole('button', { name: 'List' }).click();
  await list(page).first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('X');
  await bar(page).getByText('3 selected').waitFor();
  await picture(page, 'review-list');
  await bar(page).getByRole('button', { name: 'Select all 120' }).click();
  await bar(page).getByText('120 selected').waitFor();
  await page.keyboard.press('r');
  await page.getByText('120 quotes rejected.').waitFor();
  assert.equal(patches, 3);
  assert.equal(await states(one, project), '120 rejected');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('120 quotes put back.').waitFor();
  assert.equal(await states(one, project), '120 suggested');
  assert.equal(patches, 6);
});

test('a selection leaves what somebody else judged in the meantime, and says so', async (t) => {
  const page = await visit(t);
  const { one, project } = await pile('First', 4);
  const other = await person('Second');
  await joined(one, project, other, 'editor');
  await page.route(/evidence\.reviewed_at|\/api\/events/, (route) => route.abort()); // no news
  await enter(page, one, `${project.path}/evidence?h=${project.hypotheses[0].id}`);
  const cards = page.getByRole('article');
  await eventually(async () => (await cards.count()) === 4);
  await cards.first().getByRole('checkbox').click();
  await bar(page).getByRole('button', { name: 'Select all 4' }).click();
  await judge(other, project, 1, 'rejected');
  await judge(other, project, 2, 'accepted');
  await picture(page, 'board-selected');
  await bar(page).getByRole('button', { name: 'Accept' }).click();
  await page
    .getByText(
      '2 quotes accepted. 1 had been accepted by somebody else. ' +
        '1 stayed as somebody else judged it in the meantime.',
    )
    .waitFor();
  await gone(bar(page));
  assert.equal(await states(one, project), '3 accepted,1 rejected');
  await page.locator('body').press('u');
  await page.getByText('2 quotes put back.').waitFor();
  assert.equal(await states(one, project), '2 suggested,1 accepted,1 rejected');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

// beside returns a pile whose list is open, and another editor.
async function beside(t, n) {
  const { one, project } = await pile('Lea', n);
  const other = await person('Tom');
  await joined(one, project, other, 'editor');
  const page = await visit(t);
  await enter(page, one, `${project.path}/review?list=1`);
  await list(page).first().waitFor();
  await quiet(page);
  const line = (i) => list(page).filter({ hasText: `number ${i} ` });
  const pick = (i, options) => line(i).getByRole('checkbox').click(options);
  return { page, one, other, project, line, pick };
}

test('all and those in between are those to review, and others are selected one by one', async (t) => {
  const { page, other, project, line, pick } = await beside(t, 5);
  await judge(other, project, 2, 'accepted');
  await line(2).getByText('Tom accepted this').waitFor();
  await pick(0);
  await pick(4, { modifiers: ['Shift'] });
  await bar(page).getByText('4 selected').waitFor();
  assert.equal(await line(2).getByRole('checkbox').isChecked(), false);
  assert.equal(await bar(page).getByRole('button', { name: 'Select all' }).count(), 0);
  await bar(page).getByRole('button', { name: 'Clear' }).click();
  await pick(2);
  await bar(page).getByText('1 selected').waitFor();
  await bar(page).getByRole('button', { name: 'Select all 4 to review' }).click();
  await bar(page).getByText('5 selected').waitFor();
  await pick(2);
  await bar(page).getByText('4 selected').waitFor();
});

test('keys judge what the mouse has ticked, and Space unticks it', async (t) => {
  const { page, one, project, line, pick } = await beside(t, 3);
  await pick(0);
  await pick(1);
  await bar(page).getByText('2 selected').waitFor();
  await page.keyboard.press('Space');
  await bar(page).getByText('1 selected').waitFor();
  await page.keyboard.press('x');
  await bar(page).getByText('2 selected').waitFor();
  await page.keyboard.press('r');
  await page.getByText('2 quotes rejected.').waitFor();
  assert.equal(await states(one, project), '1 suggested,2 rejected');
  await page.keyboard.press('u');
  await page.getByText('2 quotes put back.').waitFor();
  await page.keyboard.press('k'); // from the box that was ticked last
  await eventually(() =>
    line(0)
      .getByRole('button')
      .first()
      .evaluate((e) => e === document.activeElement),
  );

  await page.goto(`${base}${project.path}/evidence?h=${project.hypotheses[0].id}`);
  await page.getByRole('article').first().getByRole('checkbox').click();
  await bar(page).getByText('1 selected').waitFor();
  await page.keyboard.press('a');
  await page.getByText('1 quote accepted.').waitFor();
});

test('undo goes on to an earlier selection where somebody else judged the latest', async (t) => {
  const { page, one, other, project, line, pick } = await beside(t, 3);
  const accept = bar(page).getByRole('button', { name: 'Accept' });
  await pick(0);
  await pick(1);
  await accept.click();
  await page.getByText('2 quotes accepted.').waitFor();
  await pick(2);
  await accept.click();
  await page.getByText('1 quote accepted.').waitFor();
  await judge(other, project, 2, 'rejected');
  await line(2).getByText('Tom rejected this').waitFor();
  await page.locator('body').press('u');
  await page.getByText('2 quotes put back.').waitFor();
  assert.equal(await states(one, project), '2 suggested,1 rejected');
});

test('a selection is undone after its view was left, also before it was saved', async (t) => {
  const { page, one, project, pick } = await beside(t, 3);
  let answer;
  const answered = new Promise((resolve) => (answer = resolve));
  await page.route('**/rest/v1/evidence?*', async (route) => {
    if (route.request().method() === 'PATCH') await answered;
    await route.continue();
  });
  await pick(0);
  await bar(page).getByRole('button', { name: 'Select all 3 to review' }).click();
  await bar(page).getByRole('button', { name: 'Accept' }).click();
  await gone(bar(page));
  await page.getByRole('link', { name: 'Close' }).click();
  await page.getByRole('article').first().waitFor();
  answer();
  await page.getByText('3 quotes accepted.').waitFor();
  await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click();
  await page.getByText('3 quotes put back.').waitFor();
  assert.equal(await states(one, project), '3 suggested');
  await page.unrouteAll({ behavior: 'wait' });
});

test('a selection that is cut off in the middle says what is not saved, and goes on', async (t) => {
  const page = await visit(t);
  const { one, project } = await pile('Cut', 60);
  await enter(page, one, `${project.path}/review?list=1`);
  await list(page).first().waitFor();
  await list(page).first().getByRole('checkbox').click();
  await bar(page).getByRole('button', { name: 'Select all 60' }).click();
  let sent = 0;
  await page.route('**/rest/v1/evidence?*', (route) =>
    route.request().method() === 'PATCH' && ++sent > 1 ? route.abort() : route.continue(),
  );
  await bar(page).getByRole('button', { name: 'Accept' }).click();
  await page.getByText('10 judgements not saved yet.').waitFor();
  assert.equal(await states(one, project), '10 suggested,50 accepted');
  assert.equal(await page.getByText('quotes accepted.').count(), 0);
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByText('60 quotes accepted.').waitFor();
  assert.equal(await states(one, project), '60 accepted');
});

test('a selection is made on a phone', async (t) => {
  const page = await visit(t, { width: 390, height: 844 });
  const { one, project } = await judged('Phone');
  await enter(page, one, `${project.path}/review?list=1`);
  await list(page).first().waitFor();
  for (const i of [0, 1]) await list(page).nth(i).getByRole('checkbox').click();
  await quiet(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, 'review-list-narrow');
  await bar(page).getByRole('button', { name: 'Accept' }).click();
  await page.getByText('2 quotes accepted.').waitFor();
  const now = Object.values(await reviews(one, project)).filter((review) => review === 'accepted');
  assert.equal(now.length, 2);
  await heading(page, 'Review').waitFor();
});
