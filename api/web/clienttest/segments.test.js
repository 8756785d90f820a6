// The comparison of groups of people.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, enter, eventually, person, picture, quiet, visit } from './harness.js';

const FOR = 'We still do it on paper.';
const AGAINST = 'The till does it for us.';

// Each person is [name, role, what they say about the first hypothesis, whether it is analysed].
const staff = [
  ...['Ada', 'Ben', 'Cleo', 'Dov', 'Eve'].map((name) => [name, 'owner', [FOR], true]),
  ['Finn', 'Owner', [AGAINST], true],
  ['Gus', 'owner', [FOR, AGAINST], true],
  ['Hana', 'barista', [AGAINST], true],
  ['Ivo', 'barista', [], true],
  ['Jo', 'barista', [], false],
  ['Kit', undefined, [FOR], true],
];

// surveyed returns a project with an interview for each of them.
async function surveyed(one) {
  const project = await one.project('Shifts are planned on paper.', 'Baristas choose their shifts.');
  const [h] = project.hypotheses;
  for (const [name, role, quotes, analysed] of staff) {
    const text = `Interviewer: And at yours, ${name}?\n${name}: ${quotes.join(' ')} That was last year.\n`;
    const id = await one.upload(project, `${name}.txt`, text);
    if (analysed) await one.parse(project, id);
    for (const quote of quotes) {
      const of = { project_id: project.id };
      const [evidence] = await one.call('POST', '/rest/v1/evidence', { ...of, import_id: id, quote });
      await one.call('POST', '/rest/v1/evidence_hypotheses', {
        ...of,
        evidence_id: evidence.id,
        hypothesis_id: h.id,
        stance: quote === FOR ? 'supports' : 'contradicts',
      });
    }
    if (role)
      await one.call('PATCH', `/rest/v1/participants?project_id=eq.${project.id}&name=eq.${name}`, {
        attributes: { role },
      });
  }
  return project;
}

test('hypotheses are compared by groups of people', async (t) => {
  const page = await visit(t);
  const one = await person('Compares');
  const project = await surveyed(one);
  const [h] = project.hypotheses;
  await enter(page, one, project.path);
  const choice = page.getByLabel('Group by');
  await choice.waitFor();
  await quiet(page);
  let requests = 0;
  page.on('request', (request) => (requests += request.url().includes('/rest/v1/') ? 1 : 0));
  const cell = (name) =>
    page
      .locator('.segments tbody tr')
      .first()
      .locator('td')
      .filter({ has: page.getByRole('link', { name: new RegExp(`^${name}:`) }) });
  // words returns what is seen of a cell.
  const words = async (locator) => {
    const parts = await locator.locator('a > :not(.unseen), small').allInnerTexts();
    return parts.join(' ').replace(/\s+/g, ' ');
  };

  await choice.focus();
  await page.keyboard.press('r'); // as in any select
  await page.getByRole('heading', { name: 'Hypotheses by role' }).waitFor();
  assert.deepEqual(
    await page
      .locator('.segments thead th')
      .evaluateAll((all) => all.map((th) => th.innerText.split('\n')[0])),
    ['Hypothesis', 'barista', 'owner', 'not given'],
  );
  assert.equal(await words(cell('owner')), '5 : 1 of 7 people · 1 mixed');
  assert.equal(await words(cell('barista')), '0 : 1 of 2 people ⚠ few people', 'Jo was not asked');
  assert.equal(await words(cell('not given')), '1 : 0 of 1 person ⚠ few people');
  await page.getByRole('link', { name: 'barista: 0 for, 1 against, of 2 people, few people' }).waitFor();
  await picture(page, 'segments');
  assert.equal(requests, 0, 'what the page has is enough');

  await page.reload();
  await page.getByRole('heading', { name: 'Hypotheses by role' }).waitFor();
  assert.equal(await choice.inputValue(), 'has:role');

  await cell('owner').getByRole('link').click();
  await page
    .locator('.conclusion .headline')
    .getByText('5 of 7 participants support, 1 contradicts')
    .waitFor();
  assert.equal(await page.getByLabel('Group').inputValue(), 'has:role=owner');
  assert.equal(await page.getByLabel('Group').locator('option:checked').innerText(), 'role: owner');
  await page.getByRole('article').first().waitFor();
  const speakers = await page.getByRole('article').allInnerTexts();
  assert.ok(speakers.length > 0);
  assert.ok(!speakers.some((who) => /Hana|Kit/.test(who)), `only owners: ${speakers}`);
  await page.goBack();
  await page.getByRole('heading', { name: 'Hypotheses by role' }).waitFor();

  // A hypothesis about a persona counts only its people, in the table and on the board.
  const [persona] = await one.call('POST', '/rest/v1/personas', { project_id: project.id, name: 'Locals' });
  const [other] = await one.call('POST', '/rest/v1/personas', { project_id: project.id, name: 'Guests' });
  const people = `/rest/v1/participants?project_id=eq.${project.id}`;
  await one.call('PATCH', `${people}&name=in.(Ada,Ben)`, { persona_id: other.id });
  await one.call('PATCH', `${people}&name=in.(Cleo,Dov)`, { persona_id: persona.id });
  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${h.id}`, { persona_id: persona.id });
  await page.reload();
  await eventually(
    async () =>
      (await words(cell('owner'))) === '3 : 1 of 5 people · 1 mixed · 2 of another persona not counted',
  );
  await cell('owner').getByRole('link').click();
  await page
    .locator('.conclusion .headline')
    .getByText('3 of 5 participants support, 1 contradicts')
    .waitFor();
  await page.getByText('2 of another persona not counted').waitFor();
  await page.goto(`${base}${project.path}?by=persona`);
  await page.getByRole('heading', { name: 'Hypotheses by persona' }).waitFor();
  assert.equal(await words(cell('Locals')), '2 : 0 of 2 people ⚠ few people');
  assert.equal(
    await page.locator('.segments tbody tr').first().locator('td').first().innerText(),
    'not about them',
  );
  await cell('not given').getByRole('link').click();
  await page.locator('.conclusion .headline').getByText('2 of 6 participants').waitFor();

  await t.test('on a phone, in the dark and on paper', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${base}${project.path}?by=has%3Arole`);
    await cell('owner').scrollIntoViewIfNeeded();
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok((await wide()) <= 0);
    await picture(page, 'segments-390');
    await page.emulateMedia({ colorScheme: 'light', media: 'print' });
    await eventually(async () => !(await choice.isVisible()));
    await page.getByText('⚠ few people', { exact: true }).first().waitFor();
    await picture(page, 'segments-paper');
  });
});

test('a grouping without groups says so', async (t) => {
  const page = await visit(t);
  const one = await person('Alone');
  const project = await one.project('Shifts are planned on paper.');
  const id = await one.upload(project, 'Ada.txt', `Interviewer: Well?\nAda: ${FOR}\n`);
  await one.parse(project, id);
  await enter(page, one, `${project.path}?by=persona`);
  await page.getByText('All participants are in one group (persona: not given).').waitFor();
  await page.goto(`${base}${project.path}?by=has%3Asites`); // which nobody has
  await page.getByRole('heading', { name: 'Participants by hypotheses' }).waitFor();
  assert.equal(await page.getByLabel('Group by').inputValue(), '');
});
