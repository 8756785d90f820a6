// Controls: what they do not add to copied words, how they are reached, and when they save.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, enter, eventually, gone, heading, person, picture, visit } from './harness.js';

const vtt =
  'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Dana>How do you file receipts?\n\n' +
  '00:00:02.000 --> 00:00:04.000\n<v Omar>We wait nine days.\n';

async function opened(t, options) {
  const page = await visit(t, options);
  const one = await person('Control');
  const project = await one.project('People wait for days.', 'Receipts are filed.');
  const id = await one.upload(project, 'omar.vtt', vtt);
  return { page, one, project, id };
}

test('what is copied from a transcript has no controls in it', async (t) => {
  const { page, one, id } = await opened(t);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base });
  await enter(page, one, `/imports/${id}`);
  await page.getByText('We wait nine days').waitFor();
  await page.evaluate(() => {
    document.getSelection().selectAllChildren(document.querySelector('.rows'));
    document.execCommand('copy');
  });
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(copied.split(/\s*\n+\s*/).filter(Boolean), [
    'Dana',
    'How do you file receipts?',
    'Omar',
    'We wait nine days.',
  ]);
});

test('the button that quotes a turn is seen on a touch screen, and beside no words', async (t) => {
  const { page, one, id } = await opened(t, { width: 390, height: 800, hasTouch: true, isMobile: true });
  await enter(page, one, `/imports/${id}`);
  const button = page.getByRole('button', { name: 'Quote this turn by Omar' });
  await button.waitFor();
  assert.equal(await button.evaluate((b) => getComputedStyle(b).opacity), '1');
  await picture(page, 'quote-touch');
  const over = await button.boundingBox();
  const right = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('.turn .text')].map((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        return range.getBoundingClientRect().right;
      }),
    ),
  );
  assert.ok(over.x >= right, `${over.x} is left of ${right}`);
  await button.tap();
  await page.getByRole('dialog', { name: 'Add as evidence' }).waitFor();
});

test('the button that quotes a turn is seen when the keyboard reaches it', async (t) => {
  const { page, one, id } = await opened(t);
  await enter(page, one, `/imports/${id}`);
  const button = page.getByRole('button', { name: 'Quote this turn by Omar' });
  await button.waitFor();
  await page.getByRole('button', { name: 'Quote this turn by Dana' }).focus();
  await page.keyboard.press('Tab'); // the button that corrects a turn is between them
  await page.keyboard.press('Tab');
  await eventually(() => button.evaluate((b) => b === document.activeElement));
  await eventually(() => button.evaluate((b) => getComputedStyle(b).opacity === '1'));
});

test('a verdict that the keyboard passes is not saved', async (t) => {
  const { page, one, project } = await opened(t);
  const status = async () =>
    (await one.call('GET', `/rest/v1/hypotheses?id=eq.${project.hypotheses[0].id}`))[0].status;
  await enter(page, one, project.path);
  const verdict = page.getByLabel('Verdict').first();
  await verdict.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  assert.equal(await verdict.inputValue(), 'testing');
  await picture(page, 'verdict-waits');
  await page.keyboard.press('Escape');
  await gone(page.getByRole('button', { name: 'Save', exact: true }));
  assert.deepEqual([await verdict.inputValue(), await status()], ['untested', 'untested']);

  // While it is saved, the list shows what was chosen, and goes on from it.
  const held = {};
  held.promise = new Promise((resolve) => (held.resolve = resolve));
  await page.route(/\/rest\/v1\/hypotheses\?/, async (route) => {
    if (route.request().method() === 'PATCH') await held.promise;
    await route.continue();
  });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await gone(page.getByRole('button', { name: 'Save', exact: true }));
  assert.deepEqual([await verdict.inputValue(), await status()], ['testing', 'untested']);
  held.resolve();
  await eventually(async () => (await status()) === 'testing');

  // A final verdict asks for its reason once it is chosen.
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^Verdict: / }).waitFor();
});

test('evidence and findings open with the hypothesis that was looked at', async (t) => {
  const { page, one, project } = await opened(t);
  const second = project.hypotheses[1];
  await enter(page, one, `${project.path}/evidence?h=${second.id}`);
  await page.getByRole('heading', { name: second.statement }).waitFor();
  const go = (name) =>
    page.getByRole('navigation', { name: 'Project', exact: true }).getByRole('link', { name }).click();
  await go('Interviews');
  await heading(page, 'Interviews').waitFor();
  await go('Findings');
  await page.waitForURL(`${base}${project.path}/findings?h=${second.id}`);
  await page.getByRole('heading', { name: second.statement }).waitFor();
});

test('an interview that was not checked is not said to be missing', async (t) => {
  const { page, one, project } = await opened(t);
  await enter(page, one, `${project.path}/evidence`);
  await page.getByText('No interview was checked for this hypothesis yet: one waits').waitFor();
  await page.getByRole('button', { name: 'Check now' }).waitFor();
  await picture(page, 'unchecked');
});

test('a board without interviews says so', async (t) => {
  const page = await visit(t);
  const one = await person('Empty');
  const project = await one.project('People wait for days.');
  await enter(page, one, `${project.path}/evidence`);
  await page.getByText('There are no interviews yet.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Check now' }).count(), 0);
});

test('an interview that was read for everything has nothing to analyse', async (t) => {
  const { page, one, project, id } = await opened(t);
  await one.parse(project, id);
  await enter(page, one, `/imports/${id}`);
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This interview was read for all hypotheses').waitFor();
  await dialog.getByRole('button', { name: 'All', exact: true }).click();
  assert.ok(await dialog.getByRole('button', { name: 'Find evidence' }).isDisabled());
  await picture(page, 'analyse-read');
});

test('at a zoom of 200 %, the quote in review is in sight', async (t) => {
  const page = await visit(t, { width: 640, height: 430 });
  const one = await person('Zoom');
  const project = await one.project('People wait for days because nobody tells them when it will be done.');
  const long = 'We talk about many other things before we come to it, as people do. '.repeat(5);
  const id = await one.upload(project, 'omar.txt', `Dana: ${long}\nOmar: We wait nine days.\n`);
  const [e] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'We wait nine days.',
  });
  await one.call('POST', '/rest/v1/evidence_hypotheses', {
    project_id: project.id,
    evidence_id: e.id,
    hypothesis_id: project.hypotheses[0].id,
    stance: 'supports',
    strength: 'medium',
  });
  await one.call('PATCH', `/rest/v1/evidence?id=eq.${e.id}`, { review: 'suggested' });
  await enter(page, one, `${project.path}/review`);
  const quote = page.locator('mark', { hasText: 'We wait nine days.' });
  await quote.waitFor();
  await picture(page, 'review-zoomed');
  const [words, buttons] = [await quote.boundingBox(), await page.locator('.verdicts').boundingBox()];
  assert.ok(words.y + words.height <= buttons.y, `${words.y} is below ${buttons.y}`);
});

test('files are named after the project, what they are, and the day, without accents', async (t) => {
  const { page, one, project } = await opened(t);
  await one.call('PATCH', `/rest/v1/projects?id=eq.${project.id}`, { name: 'Shift planning in cafés' });
  await enter(page, one, `${project.path}/findings`);
  await page.getByRole('heading', { name: 'People wait for days.' }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByLabel('Save as').selectOption('md');
  assert.match(
    (await saved).suggestedFilename(),
    /^shift-planning-in-cafes-findings-people-wait-for-days-\d{4}-\d\d-\d\d\.md$/,
  );
});
