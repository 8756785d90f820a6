// The menu of an interview: what editors change, and its deletion.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, enter, eventually, gone, heading, keepMessages, person, quiet, visit } from './harness.js';
import { joined } from './judged.js';

const actions = (page, title) => page.getByRole('button', { name: `Actions for ${title}` });
const focused = (locator) =>
  eventually(() => locator.evaluate((element) => element === document.activeElement));

test('an interview is edited and deleted with the keyboard', async (t) => {
  const page = await visit(t);
  const one = await person('Tidy');
  const project = await one.project('Receipts take long.');
  const [persona] = await one.call('POST', '/rest/v1/personas', { project_id: project.id, name: 'Clerk' });
  const interview = await one.upload(project, 'raw.txt', 'Ana: Receipts take hours.\nBen: Why?\n');
  await one.upload(project, 'other.txt', 'Cleo: Nothing takes long.\n');
  for (const [quote, review] of [
    ['Receipts take hours.', 'accepted'],
    ['Why?', 'suggested'],
  ])
    await one.call('POST', '/rest/v1/evidence', {
      project_id: project.id,
      import_id: interview,
      quote,
      review,
    });
  await enter(page, one, `${project.path}/interviews`);

  await t.test('in the list, its title, date and persona', async () => {
    await actions(page, 'raw').focus();
    await page.keyboard.press('Enter');
    await focused(page.getByRole('menuitem', { name: 'Edit' }));
    await page.keyboard.press('Escape');
    await focused(actions(page, 'raw'));
    await gone(page.getByRole('menu'));
    await page.keyboard.press('Enter');
    await focused(page.getByRole('menuitem', { name: 'Edit' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Interview' });
    await dialog.getByLabel('Title').fill('Ana, accounting');
    await dialog.getByLabel('Date of the interview').fill('2031-05-06');
    await dialog.getByLabel('Persona').selectOption('Clerk');
    await page.keyboard.press('Enter');
    await gone(dialog);
    await focused(actions(page, 'Ana, accounting'));
    const item = page.locator('.imports > li').filter({ hasText: 'Ana, accounting' });
    await item.getByText('6 May 2031').waitFor();
    await item.getByText('Clerk').waitFor();
    const [row] = await one.call(
      'GET',
      `/rest/v1/imports?id=eq.${interview}&select=title,interviewed_on,persona_id`,
    );
    assert.deepEqual(row, {
      title: 'Ana, accounting',
      interviewed_on: '2031-05-06',
      persona_id: persona.id,
    });
  });

  await t.test('on its page, its deletion, which says what is lost', async () => {
    await page.getByRole('link', { name: 'Ana, accounting' }).click();
    await heading(page, 'Ana, accounting').waitFor();
    const ask = async () => {
      await actions(page, 'Ana, accounting').focus();
      await page.keyboard.press('Enter');
      await focused(page.getByRole('menuitem', { name: 'Edit' }));
      await page.keyboard.press('End');
      await focused(page.getByRole('menuitem', { name: 'Delete' }));
      await page.keyboard.press('Enter');
    };
    await ask();
    const dialog = page.getByRole('dialog', { name: 'Delete this interview?' });
    await dialog.getByText('2 quotes with 1 judgement').waitFor();
    await page.keyboard.press('Escape');
    await gone(dialog);
    await focused(actions(page, 'Ana, accounting'));
    await ask();
    await dialog.getByText('2 quotes with 1 judgement').waitFor();
    await dialog.getByRole('button', { name: 'Delete interview' }).click();
    await heading(page, 'Interviews').waitFor();
    await focused(heading(page, 'Interviews'));
    await page.getByText('“Ana, accounting” was deleted.').waitFor();
    await page.getByRole('link', { name: 'other', exact: true }).waitFor();
    assert.equal(await page.locator('.imports > li').count(), 1);
    assert.deepEqual(await one.call('GET', `/rest/v1/evidence?project_id=eq.${project.id}&select=id`), []);
  });

  await t.test('in the list, its deletion', async () => {
    await actions(page, 'other').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete interview' }).click();
    await page.getByRole('heading', { name: 'No interviews yet' }).waitFor();
    await focused(heading(page, 'Interviews'));
  });
});

test('an edited title stays, also when the interviews were asked for before', async (t) => {
  const page = await visit(t);
  const one = await person('Renamer');
  const project = await one.project();
  const interview = await one.upload(project, 'raw.txt', 'Ana: Receipts take hours.\n');
  await enter(page, one);
  for (const [path, filter, title] of [
    [`${project.path}/interviews`, `project_id=eq.${project.id}`, 'Edited in the list'],
    [`/imports/${interview}`, `id=eq.${interview}&select=project_id`, 'Edited on its page'],
  ]) {
    let asked = 0;
    let release; // the second answer
    await page.route('**/rest/v1/imports?*', async (route) => {
      const ofView = route.request().method() === 'GET' && route.request().url().includes(filter);
      if (!ofView || ++asked !== 2) return route.continue();
      const held = new Promise((resolve) => (release = resolve));
      const response = await route.fetch();
      await held;
      return route.fulfill({ response });
    });
    await page.goto(base + path);
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await eventually(() => release);
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Interview' });
    await dialog.getByLabel('Title').fill(title);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await gone(dialog);
    release();
    await quiet(page);
    assert.equal(await actions(page, title).count(), 1, title);
    await page.unroute('**/rest/v1/imports?*');
  }
});

test('speakers are named, merged and marked as interviewers, and that can be undone', async (t) => {
  const page = await visit(t);
  await keepMessages(page);
  const one = await person('Namer');
  const project = await one.project('Receipts take long.');
  const interview = await one.upload(
    project,
    'call.txt',
    'Speaker 1: Why?\nSpeaker 2: Receipts take hours.\nSpeaker 3: They take all morning.\n',
  );
  await enter(page, one, `/imports/${interview}`);
  const voices = async () =>
    (
      await one.call(
        'GET',
        `/rest/v1/import_speakers?import_id=eq.${interview}&order=speaker&select=role,participants(name)`,
      )
    ).map((s) => [s.role, s.participants?.name]);
  const before = await voices();
  await actions(page, 'call').click();
  await page.getByRole('menuitem', { name: 'Speakers' }).click();
  const dialog = page.getByRole('dialog', { name: 'Speakers' });
  await dialog.getByRole('group', { name: 'Speaker 1' }).getByLabel('Interviewer').check();
  await dialog.getByRole('textbox', { name: 'Speaker 2' }).fill('Ana Silva');
  await dialog.getByRole('textbox', { name: 'Speaker 3' }).fill('ana silva');
  await page.keyboard.press('Enter');
  await gone(dialog);
  await focused(actions(page, 'call'));
  await eventually(async () => (await page.locator('.turn .who b').allTextContents()).includes('Ana Silva'));
  const after = await voices();
  assert.deepEqual(after, [
    ['interviewer', undefined],
    ['participant', 'Ana Silva'],
    ['participant', 'Ana Silva'],
  ]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => JSON.stringify(await voices()) === JSON.stringify(before));
  await page.locator('.turn .who b').getByText('Speaker 2').waitFor();
});

test('the focus returns to the menu when an action is chosen as soon as it is drawn', async (t) => {
  const page = await visit(t);
  const one = await person('Swift');
  const project = await one.project();
  await one.upload(project, 'raw.txt', 'Ana: Receipts take hours.\n');
  await enter(page, one, `${project.path}/interviews`);
  await actions(page, 'raw').waitFor();
  await page.evaluate(() =>
    new MutationObserver((_, observer) => {
      const action = document.querySelector('[role=menuitem]');
      if (!action) return;
      observer.disconnect();
      action.click();
    }).observe(document.body, { childList: true, subtree: true }),
  );
  await actions(page, 'raw').click();
  await page.getByRole('dialog', { name: 'Interview' }).waitFor();
  await page.keyboard.press('Escape');
  await focused(actions(page, 'raw'));
});

test('viewers have no menu', async (t) => {
  const page = await visit(t);
  const one = await person('Owner of it');
  const project = await one.project();
  const interview = await one.upload(project, 'read.txt', 'Ana: Receipts take hours.\n');
  const viewer = await person('Reader of it');
  await joined(one, project, viewer, 'viewer');
  await enter(page, viewer, `${project.path}/interviews`);
  await page.getByRole('link', { name: 'read', exact: true }).click();
  await heading(page, 'read').waitFor();
  await page.locator('.utterance').first().waitFor();
  assert.equal(await actions(page, 'read').count(), 0);
  await page.goBack();
  await page.locator(`.imports a[href="/imports/${interview}"]`).waitFor();
  assert.equal(await actions(page, 'read').count(), 0);
});
