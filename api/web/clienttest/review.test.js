// Review mode, and the answer in people.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, enter, eventually, gone, heading, person, quiet, visit } from './harness.js';
import { judged, reviews, statements } from './judged.js';

const mark = (page) => page.locator('.turn-row mark');
const shown = async (page) => (await mark(page).allTextContents()).join(' ').slice(0, 20);
const at = (page, text) => page.locator('.review').getByText(text, { exact: true });

async function links(one, project) {
  const rows = await one.call(
    'GET',
    `/rest/v1/evidence_hypotheses?project_id=eq.${project.id}&hypothesis_id=eq.${project.hypotheses[0].id}` +
      '&select=stance,evidence(quote)',
  );
  return Object.fromEntries(rows.map(({ stance, evidence }) => [evidence.quote.slice(0, 20), stance]));
}

test('review mode shows one quote at a time, between turns, and judges it with one key', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Reviewer');
  await enter(page, one, `${project.path}/evidence`);
  await page.getByRole('link', { name: /^Review \d/ }).click();
  await heading(page, 'Review').waitFor();
  await mark(page).first().waitFor();
  const total = Object.keys(await links(one, project)).length;
  await at(page, `1 of ${total}`).waitFor();
  await page.locator('.about-hypothesis').getByText(statements[0]).waitFor();
  await page.getByText('Suggested: ').waitFor();
  const turns = await page.locator('.turn-row').count();
  assert.ok(turns >= 2 && turns <= 5, `${turns} turns`);

  const first = await shown(page);
  await page.keyboard.press('2');
  await at(page, `2 of ${total}`).waitFor();
  await eventually(async () => (await reviews(one, project))[first] === 'accepted');
  await eventually(async () => (await links(one, project))[first] === 'contradicts');
  await page.getByText('Saved', { exact: true }).waitFor();

  await eventually(async () => !['', first].includes(await shown(page)));
  const second = await shown(page);
  await page.keyboard.press('r');
  await eventually(async () => (await reviews(one, project))[second] === 'rejected');
  await page.keyboard.press('u');
  await eventually(async () => (await shown(page)) === second);
  await eventually(async () => (await reviews(one, project))[second] === 'suggested');
  await page.keyboard.press('3');
  await eventually(async () => (await links(one, project))[second] === 'neutral');

  // A reload continues with what is left.
  await page.reload();
  await at(page, `1 of ${total - 2}`).waitFor();
  await mark(page).first().waitFor();
  await page.keyboard.press('Escape');
  await heading(page, statements[0]).waitFor();
  await page.getByRole('link', { name: `Review ${total - 2}` }).waitFor();
});

test('news that was asked for before a judgement was undone does not bring it back', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Late');
  let release;
  const held = new Promise((resolve) => (release = resolve));
  let found;
  const old = new Promise((resolve) => (found = resolve)); // an answer that says "rejected"
  await page.route(/evidence\.reviewed_at/, async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes('"rejected"')) {
      found();
      await held;
    }
    await route.fulfill({ response });
  });
  await enter(page, one, `${project.path}/review?h=${project.hypotheses[0].id}`);
  await mark(page).first().waitFor();
  const first = await shown(page);
  await page.keyboard.press('r');
  await old;
  await page.keyboard.press('u');
  await eventually(async () => (await shown(page)) === first);
  await eventually(async () => (await reviews(one, project))[first] === 'suggested');
  await gone(page.getByText('Saving…'));
  release();
  await quiet(page);
  await page.keyboard.press('3');
  await eventually(async () => (await reviews(one, project))[first] === 'accepted');
  await eventually(async () => (await links(one, project))[first] === 'neutral');
  await page.unrouteAll({ behavior: 'ignoreErrors' }); // the page may still ask when the test ends
});

test('a review continues without a connection, and says what is not saved', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Underground');
  await enter(page, one, `${project.path}/review?h=${project.hypotheses[0].id}`);
  await mark(page).first().waitFor();
  await quiet(page); // the turns of the next quotes are here
  await page.context().setOffline(true);
  const first = await shown(page);
  await page.keyboard.press('1');
  await eventually(async () => !['', first].includes(await shown(page)));
  const second = await shown(page);
  await page.keyboard.press('r');
  await page.getByText('2 judgements not saved yet.').waitFor();
  assert.equal(await page.getByText('Saved', { exact: true }).count(), 0);
  await page.keyboard.press('u');
  await eventually(async () => (await shown(page)) === second);
  await page.context().setOffline(false);
  await page.getByText('Saved', { exact: true }).waitFor();
  const now = await reviews(one, project);
  assert.deepEqual([now[first], now[second]], ['accepted', 'suggested']);
});

test('the answer counts people, and the table leads to the quotes of one of them', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Counts');
  await enter(page, one, project.path);
  const table = page.getByRole('table');
  await table.getByRole('row', { name: /Ines Carvalho/ }).waitFor();
  const priya = table.getByRole('row', { name: /Priya Nair/ });
  await priya.getByRole('link', { name: /^Priya Nair: mixed/ }).click();
  await heading(page, statements[0]).waitFor();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('1 mixed').waitFor();
  const cards = page.getByRole('article');
  await cards.first().waitFor();
  for (const text of await cards.locator('.meta b').allTextContents()) assert.equal(text, 'Priya Nair');
  await answer.getByRole('button', { name: 'Priya Nair: mixed' }).click(); // removes the filter
  await eventually(() => !page.url().includes('speaker='));

  // A rejected quote no longer counts.
  const column = page.getByRole('region', { name: /^For/ });
  await column.getByRole('article').first().getByRole('button', { name: 'Reject' }).click();
  await answer.getByRole('button', { name: 'Priya Nair: contradicts' }).waitFor();
  await gone(answer.getByText('1 mixed'));
  await page.goto(base + project.path);
  await priya
    .getByRole('link', { name: /^Priya Nair: contradicts/ })
    .first()
    .waitFor();
  await gone(priya.getByRole('link', { name: /^Priya Nair: mixed/ }));
});

test('a hypothesis that is added later is not checked for the people of earlier interviews', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Later');
  await enter(page, one, project.path);
  const table = page.getByRole('table');
  await table.getByRole('row', { name: /Priya Nair/ }).waitFor();
  await page.getByRole('button', { name: 'New hypothesis' }).click();
  await page.getByLabel('Statement').fill('Employees will connect their mailbox.');
  await page.getByRole('button', { name: 'Add hypothesis' }).click();
  await page.getByRole('link', { name: 'Employees will connect their mailbox.' }).waitFor();
  await table.getByRole('columnheader', { name: 'Employees will connect their mailbox.' }).waitFor();
  await table
    .getByRole('row', { name: /Priya Nair/ })
    .getByTitle('Priya Nair: not checked')
    .waitFor();
});

test('merged speakers are one person, and interviewers are nobody', async (t) => {
  const page = await visit(t);
  const one = await person('Merger');
  const project = await one.project('Receipts take long.');
  const [hypothesis] = project.hypotheses;
  const quotes = ['Receipts take hours.', 'They take all morning.', 'So they take long?'];
  const labels = ['Ana', 'Speaker 2', 'Ben'];
  const text = labels.map((label, i) => `${label}: ${quotes[i]}\n`).join('');
  const interview = await one.upload(project, 'pair.txt', text);
  for (const quote of quotes) {
    const [evidence] = await one.call('POST', '/rest/v1/evidence', {
      project_id: project.id,
      import_id: interview,
      quote,
    });
    await one.call('POST', '/rest/v1/evidence_hypotheses', {
      project_id: project.id,
      evidence_id: evidence.id,
      hypothesis_id: hypothesis.id,
      stance: 'supports',
    });
  }
  await one.call('POST', '/rest/v1/rpc/merge_speakers', {
    import: interview,
    from: ['Speaker 2'],
    into: 'Ana',
  });
  await one.call('POST', '/rest/v1/rpc/set_interviewers', { import: interview, speakers: ['Ben'] });

  await enter(page, one, project.path);
  const table = page.getByRole('table');
  await table.getByRole('link', { name: 'Ana: supports, 2 quotes' }).click();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('1 of 1 participant supports').waitFor();
  await answer.getByRole('button', { name: 'Ana: supports', pressed: true }).waitFor();
  await eventually(async () => (await page.getByRole('article').count()) === 2);
  for (const text of await page.getByRole('article').locator('.meta b').allTextContents())
    assert.equal(text, 'Ana');
  assert.equal(await answer.getByRole('button', { name: /Ben/ }).count(), 0);
});
