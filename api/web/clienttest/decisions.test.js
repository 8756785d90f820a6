// What further interviews add to a hypothesis, what its verdict rests on, and what is said against it since.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { joined } from './judged.js';
import { base, enter, eventually, gone, heading, person, picture, quiet, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WRONG = 'Finance leads name another step first.';

// said has a person say something in an interview of their own, on a day of January 2031.
async function said(one, project, name, day, stance, hypothesis = project.hypotheses[0]) {
  const quote = `We chase receipts, says ${name}`;
  const id = await one.upload(project, `${name}.txt`, `Interviewer: Go on.\n${name}: ${quote}.\n`);
  await one.call('PATCH', `/rest/v1/imports?id=eq.${id}`, { interviewed_on: `2031-01-${day}` });
  const [e] = await one.call('POST', '/rest/v1/evidence', { project_id: project.id, import_id: id, quote });
  await one.call('POST', '/rest/v1/evidence_hypotheses', {
    evidence_id: e.id,
    hypothesis_id: hypothesis.id,
    stance,
  });
  return e.id;
}

// decided returns a project whose first hypothesis was validated on two people for and one against.
async function decided(name, values = {}) {
  const one = await person(name);
  const project = await one.project('Receipts take long.', 'They pay per seat.');
  await said(one, project, 'Ana', 10, 'supports');
  await said(one, project, 'Ben', 11, 'supports');
  await said(one, project, 'Cem', 12, 'contradicts');
  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${project.hypotheses[0].id}`, {
    status: 'validated',
    decision_reason: 'Two of three.',
    falsified_if: WRONG,
    reopen_after: 2,
    ...values,
  });
  return { one, project };
}

const decisionsOf = (project) =>
  `/rest/v1/hypothesis_decisions?hypothesis_id=eq.${project.hypotheses[0].id}&order=number`;

// violations returns what axe finds on a page.
async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () =>
    (await axe.run(document, { resultTypes: ['violations'] })).violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`,
    ),
  );
}

const tooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

test('the board shows what further interviews add, as a chart, a table and a sentence', async (t) => {
  const page = await visit(t);
  const { one, project } = await decided('Saturated');
  await said(one, project, 'Dua', 13, 'neutral');
  await said(one, project, 'Eva', 14, 'neutral');
  await enter(page, one, `${project.path}/evidence`);
  await page.getByText('The last 2 of the 5 interviews read for this hypothesis changed nothing.').waitFor();
  await page.getByRole('img', { name: 'People after 5 interviews: 2 for, 1 against, 2 neither.' }).waitFor();
  await page.getByText('Interview by interview').click();
  const table = page.getByRole('table', { name: 'People so far, after each interview' });
  const rows = await table
    .locator('tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.cells].map((cell) => cell.textContent.trim()).join(' | ')),
    );
  assert.deepEqual(rows, [
    'Interview | for | against | neither | Changed',
    'Ana, 10 Jan 2031 | 1 | 0 | 0 | yes',
    'Ben, 11 Jan 2031 | 2 | 0 | 0 | yes',
    'Cem, 12 Jan 2031 | 2 | 1 | 0 | yes',
    'Dua, 13 Jan 2031 | 2 | 1 | 1 | no',
    'Eva, 14 Jan 2031 | 2 | 1 | 2 | no',
  ]);
  assert.deepEqual(await violations(page), []);
  await picture(page, 'saturation-1280');

  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('.saturation svg').first().isVisible());
  assert.ok(await page.getByText('The last 2 of the 5 interviews').isVisible());
  assert.ok(!(await page.locator('.course .numbers').isVisible()));
  await picture(page, 'saturation-paper');
  await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 860 });
  assert.deepEqual(await violations(page), []);
  assert.ok(!(await tooWide(page)));
  await picture(page, 'saturation-390');

  // Of a hypothesis that no interview was read for, nothing is said.
  await page.goto(`${base}${project.path}/evidence?h=${project.hypotheses[1].id}`);
  await heading(page, 'They pay per seat.').waitFor();
  await page.getByRole('button', { name: 'History' }).waitFor();
  await quiet(page);
  assert.equal(await page.locator('.saturation').count(), 0);
  assert.equal(await page.getByText('read for this hypothesis').count(), 0);
});

test('the last interviews are said to change nothing only if a model has read them', async (t) => {
  const page = await visit(t);
  const { one, project } = await decided('Matched');
  let read = [];
  await page.route('**/rest/v1/rpc/hypothesis_timeline*', async (route) => {
    const response = await route.fetch();
    const steps = await response.json();
    const json = steps.map((step, i) => {
      const [coverage, model_coverage] = read[i - steps.length + read.length] ?? [1, 1];
      return { ...step, coverage, model_coverage };
    });
    await route.fulfill({ response, json });
  });
  await said(one, project, 'Dua', 13, 'neutral');
  await said(one, project, 'Eva', 14, 'neutral');
  const last = 'the last 2 of the 5 interviews read for this hypothesis';
  const model = [1, 1];
  const part = [0.4, 0.4];
  const keywords = [1, 0];
  await enter(page, one, `${project.path}/evidence`);
  for (const [reads, sentence] of [
    [[model, model], `T${last.slice(1)} changed nothing.`],
    [[keywords, model, model], `T${last.slice(1)} changed nothing.`],
    [[part, model], `What was read of ${last} changed nothing.`],
    [[keywords, model], `Nothing new was found in ${last}; 1 of them was only matched by keywords.`],
    [[keywords, keywords], `Keyword matching found nothing new in ${last}.`],
  ]) {
    read = reads;
    await page.reload();
    await page.getByText(sentence).waitFor();
  }
});

test('findings and documents say what further interviews add', async (t) => {
  const page = await visit(t);
  const { one, project } = await decided('Findings of a course');
  await enter(page, one, `${project.path}/findings`);
  const sentence = 'Every one of the 3 interviews read for this hypothesis changed something.';
  await page.getByText(sentence).waitFor();
  await page.getByRole('img', { name: 'People after 3 interviews: 2 for, 1 against, 0 neither.' }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByLabel('Save as').selectOption('md');
  assert.ok(readFileSync(await (await download).path(), 'utf8').includes(sentence));
  await quiet(page);
  assert.deepEqual(await violations(page), []);
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('.saturation svg').first().isVisible());
  await picture(page, 'findings-course-paper');
});

test('the dialog of a verdict says what it rests on, and the board keeps that', async (t) => {
  const page = await visit(t);
  const { one, project } = await decided('Rests', { status: 'testing', decision_reason: '' });
  await enter(page, one, `${project.path}/evidence`);
  await page.getByLabel('Verdict').selectOption('validated');
  const dialog = page.getByRole('dialog', { name: 'Verdict: validated' });
  const rests = dialog.getByRole('region', { name: 'What it rests on' });
  await rests.getByText('2 for, 1 against').first().waitFor();
  await rests.getByText(WRONG).waitFor();
  await rests.getByText('It opens again when 2 more people speak against it.').waitFor();
  assert.deepEqual(await violations(page), []);
  await picture(page, 'verdict-rests-on');
  await dialog.getByLabel('Reason').fill('Two of three.');
  await dialog.getByRole('button', { name: 'Decide anyway' }).click();
  const kept = page.getByText(/Decided by Rests on .*, on 2 people for, 1 against\./);
  await kept.waitFor();
  assert.doesNotMatch(await kept.textContent(), /Now:/);

  await said(one, project, 'Dua', 13, 'supports');
  await page.reload();
  await page.getByText('Now: 3 people for, 1 against.').waitFor();
});

test('people who speak against a verdict are said on the board and in the list', async (t) => {
  const page = await visit(t);
  const { one, project } = await decided('Challenged');
  await enter(page, one, `${project.path}/evidence`);
  await page.getByText('Decided by Challenged').waitFor();
  await quiet(page);
  assert.equal(await page.locator('.challenge').count(), 0, 'what was said before does not count');

  // It appears without a reload.
  const first = await said(one, project, 'Dua', 13, 'contradicts');
  await page.getByText('1 person has contradicted this since you decided').waitFor();
  assert.equal(await page.getByText('Open again:').count(), 0);
  await said(one, project, 'Eva', 14, 'contradicts');
  const challenge = page.locator('.challenge.reopened');
  await challenge.getByText('2 people have contradicted this since you decided').waitFor();
  assert.match(
    (await challenge.textContent()).replace(/\s+/g, ' '),
    /Open again: .* · wrong if: Finance leads/,
  );
  assert.deepEqual(await violations(page), []);
  await picture(page, 'reopened-1280');

  await challenge.getByRole('link', { name: 'Look at what they said' }).click();
  await eventually(async () => (await page.getByRole('article').count()) === 2);
  assert.deepEqual((await page.locator('article blockquote').allTextContents()).sort(), [
    'We chase receipts, says Dua',
    'We chase receipts, says Eva',
  ]);
  await page.getByRole('button', { name: 'Clear' }).click();
  await eventually(async () => (await page.getByRole('article').count()) === 5);

  // What is rejected takes it back.
  await one.call('PATCH', `/rest/v1/evidence?id=eq.${first}`, { review: 'rejected' });
  await page.getByText('1 person has contradicted this since you decided').waitFor();
  await one.call('PATCH', `/rest/v1/evidence?id=eq.${first}`, { review: 'accepted' });
  await challenge.waitFor();

  // The list says the same, and offers the same.
  await page.goto(`${base}${project.path}`);
  await challenge.getByText('2 people have contradicted this since you decided').waitFor();
  await quiet(page);
  assert.deepEqual(await violations(page), []);
  await picture(page, 'challenged-list-1280');
  await page.setViewportSize({ width: 390, height: 860 });
  assert.ok(!(await tooWide(page)));
  await picture(page, 'challenged-list-390');
  await challenge.getByRole('button', { name: 'Keep the verdict' }).click();
  await page.getByText('The verdict “validated” is confirmed with what is known now.').waitFor();
  await gone(page.locator('.challenge'));
  const decisions = await one.call('GET', `${decisionsOf(project)}&select=contradicting`);
  assert.deepEqual(decisions, [{ contradicting: 1 }, { contradicting: 3 }]);
});

test('a verdict is decided again, and a viewer only reads', async (t) => {
  const page = await visit(t);
  const { one, project } = await decided('Again', { status: 'invalidated', reopen_after: 1 });
  await said(one, project, 'Dua', 13, 'supports');
  await enter(page, one, `${project.path}/evidence`);
  await page.getByText('1 person has supported this since you decided').waitFor();
  await page.getByRole('button', { name: 'Decide again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Decide again' });
  await dialog.getByText('3 for, 1 against').first().waitFor();
  assert.deepEqual(await violations(page), []);
  const opens = dialog.getByText('It opens again when');
  await opens.waitFor();
  for (const status of ['inconclusive', 'testing']) {
    await dialog.getByLabel('Verdict').selectOption(status);
    await gone(opens);
    await dialog.getByText('This is kept with the verdict.').waitFor();
  }
  await dialog.getByLabel('Verdict').selectOption('validated');
  await opens.waitFor();
  await dialog.getByLabel('Reason').fill('Three of four.');
  await dialog.getByRole('button', { name: 'Decide anyway' }).click();
  await gone(dialog);
  await gone(page.locator('.challenge'));
  await page.getByText(/Decided by Again on .*, on 3 people for, 1 against\./).waitFor();

  // The same verdict again keeps the reason of the one before.
  await said(one, project, 'Eva', 14, 'contradicts');
  await page.getByText('Open again:').waitFor();
  await page.getByRole('button', { name: 'Decide again' }).click();
  await dialog.getByLabel('Reason').fill('Still three of five.');
  // A reason that could not be saved is sent again without another confirmation.
  const rejected = { status: 400, json: { message: 'not now' } };
  const hypotheses = (url) => url.pathname === '/rest/v1/hypotheses';
  let failed = 0;
  await page.route(hypotheses, (route) =>
    route.request().method() === 'PATCH' && failed++ === 0 ? route.fulfill(rejected) : route.fallback(),
  );
  await dialog.getByRole('button', { name: 'Decide anyway' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('button', { name: 'Decide anyway' }).click();
  await gone(dialog);
  await page.unroute(hypotheses);
  assert.ok(failed >= 2);
  await gone(page.locator('.challenge'));
  const decisions = await one.call('GET', `${decisionsOf(project)}&select=status,reason`);
  assert.deepEqual(decisions, [
    { status: 'invalidated', reason: 'Two of three.' },
    { status: 'validated', reason: 'Three of four.' },
    { status: 'validated', reason: 'Still three of five.' },
  ]);

  await said(one, project, 'Fay', 15, 'contradicts');
  const viewer = await person('Looks');
  await joined(one, project, viewer, 'viewer');
  const other = await visit(t);
  await enter(other, viewer, project.path);
  await other.getByText('1 person has contradicted this since Again decided').waitFor();
  await other.goto(`${base}${project.path}/evidence`);
  await other.getByText('1 person has contradicted this since Again decided').waitFor();
  await other.getByRole('link', { name: 'Look at what they said' }).waitFor();
  await other.getByRole('button', { name: 'History' }).waitFor();
  assert.equal(await other.getByRole('button', { name: /Decide again|Keep the verdict/ }).count(), 0);
});

test('the history of a hypothesis says who did what, by day', async (t) => {
  const page = await visit(t);
  const { one, project } = await decided('Remembers');
  const [hypothesis] = project.hypotheses;
  const ids = [
    await said(one, project, 'Dua', 13, 'contradicts'),
    await said(one, project, 'Eva', 14, 'contradicts'),
  ];
  await one.call('PATCH', `/rest/v1/evidence?id=eq.${ids[0]}`, { review: 'accepted' });
  await one.call('PATCH', `/rest/v1/evidence?id=eq.${ids[1]}`, { review: 'accepted' });
  await said(one, project, 'Fay', 15, 'supports');
  await enter(page, one, `${project.path}/evidence`);
  await page.getByRole('button', { name: 'History' }).click();
  const dialog = page.getByRole('dialog', { name: 'History' });
  await dialog.getByText('Remembers decided: validated').waitFor();
  const entries = (await dialog.locator('li > p:first-of-type').allTextContents()).map((text) =>
    text.replace(/\s+/g, ' ').trim(),
  );
  const at = (begin) => entries.findIndex((text) => text.startsWith(begin));
  // What was done before it was open again, and what after, are not said together.
  const reopened = at('Open again: by then, 2 people had spoken against the verdict');
  assert.ok(reopened >= 0, entries.join('\n'));
  const after = entries.slice(0, reopened).sort();
  assert.deepEqual(after, ['Remembers accepted 2, added 1 quote', 'Remembers added 1 interview: Fay']);
  const before = entries.slice(reopened + 1, at('Remembers decided: validated')).sort();
  assert.deepEqual(before, ['Remembers added 2 interviews: Eva, Dua', 'Remembers added 2 quotes']);
  assert.ok(at('Remembers added 3 quotes') > at('Remembers decided: validated'), 'newest first');
  assert.equal(await dialog.getByRole('heading', { level: 3 }).count(), 1);
  assert.deepEqual(await violations(page), []);
  await picture(page, 'history-1280');
  await page.setViewportSize({ width: 390, height: 860 });
  assert.ok(!(await tooWide(page)));
  await picture(page, 'history-390');
  await page.keyboard.press('Escape');

  // Who may edit says after how many people a verdict is open again.
  await page.goto(`${base}${project.path}`);
  await page.getByRole('button', { name: 'Edit: Receipts take long.' }).click();
  const many = page.getByLabel('Reopen the verdict when so many more people speak against it');
  assert.equal(await many.inputValue(), '2');
  await many.fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  assert.ok(await many.evaluate((e) => e.validity.rangeUnderflow));
  await many.fill('3');
  await page.getByLabel('Wrong if').fill('They name payroll.');
  await page.getByRole('button', { name: 'Save' }).click();
  await gone(page.getByRole('dialog'));
  const [row] = await one.call('GET', `/rest/v1/hypotheses?id=eq.${hypothesis.id}&select=reopen_after`);
  assert.deepEqual(row, { reopen_after: 3 });
  await page.getByText('2 people have contradicted this since you decided').waitFor();
  await gone(page.getByText('Open again:'));
  await page.goto(`${base}${project.path}/evidence`);
  await page.getByRole('button', { name: 'History' }).click();
  await eventually(async () => (await dialog.getByText('Remembers edited “Wrong if”').count()) === 2);
});
