// The import of files: what was read is shown first, duplicates are asked about, and nothing typed is lost.
import assert from 'node:assert/strict';
import test from 'node:test';
import { drop, enter, eventually, gone, heading, person, picture, visit } from './harness.js';

const call =
  'Lena: Why does the close take long?\nSpeaker 2: Receipts arrive late.\nSpeaker 3: We chase all of them.\n';
const other = 'Lena: And what do you do then?\nOmar: We wait for the bank.\n';
const doubtful =
  '[10:02] Dana: How do you plan?\n[10:20] Sam: On paper.\n[10:41] Dana: Why?\n[11:15] Sam: No time.\n';

const dialogOf = (page) => page.getByRole('dialog', { name: /^Import \d+ files?$/ });
const line = (page, name) =>
  page.getByRole('list', { name: 'Uploads' }).locator('> li').filter({ hasText: name });
const importing = (page, n) =>
  page.getByRole('button', { name: `Import ${n} interview${n === 1 ? '' : 's'}`, exact: true });

async function opened(page, name) {
  const one = await person(name);
  const project = await one.project('Receipts take long.');
  await enter(page, one, `${project.path}/interviews`);
  await heading(page, 'Interviews').waitFor();
  const imports = (select = 'id,title') =>
    one.call('GET', `/rest/v1/imports?project_id=eq.${project.id}&order=title,created_at&select=${select}`);
  const speakers = async (as = one) =>
    (
      await as.call(
        'GET',
        `/rest/v1/import_speakers?project_id=eq.${project.id}&order=speaker` +
          '&select=speaker,role,imports(title)',
      )
    )
      .map((s) => [s.imports.title, s.speaker, s.role])
      .sort();
  return { one, project, imports, speakers };
}

test('a file is looked at before it is imported, and its speakers are named and merged', async (t) => {
  const page = await visit(t);
  const { imports, speakers } = await opened(page, 'Looks first');
  await drop(page, [['call.txt', call]]);
  const dialog = dialogOf(page);
  await line(page, 'call.txt').getByText('Plain text').waitFor();
  for (const fact of ['3 turns', 'Lena, Speaker 2, Speaker 3']) await dialog.getByText(fact).waitFor();
  await dialog.getByText('43% of the words, 1 turn').waitFor();
  await dialog.getByRole('list', { name: 'First turns' }).getByText('We chase all of them.').waitFor();
  assert.deepEqual(await imports(), []);

  await dialog.getByRole('textbox', { name: 'Title' }).fill('Ana, accounting');
  await dialog.getByRole('checkbox', { name: 'Interviewer' }).first().check();
  await dialog.getByRole('textbox', { name: 'Speaker 2' }).fill('Ana Silva');
  await dialog.getByRole('textbox', { name: 'Speaker 3' }).fill('ana silva');
  await dialog.getByText('same person').waitFor();
  await dialog.getByRole('list', { name: 'First turns' }).getByText('Ana Silva:').first().waitFor();
  await importing(page, 1).click();
  await page.getByRole('link', { name: 'Ana, accounting' }).waitFor();
  await gone(dialog);
  assert.deepEqual(await speakers(), [
    ['Ana, accounting', 'Ana Silva', 'participant'],
    ['Ana, accounting', 'Lena', 'interviewer'],
  ]);
});

test('a file can be dropped as soon as the view is drawn', async (t) => {
  const page = await visit(t);
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const zone = document.querySelector('.drop');
      if (!zone) return;
      observer.disconnect();
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['Ana: Receipts take hours.\n'], 'early.txt'));
      zone.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
    }).observe(document, { childList: true, subtree: true });
  });
  await opened(page, 'Early');
  await line(page, 'early.txt').getByText('Plain text').waitFor();
});

test('of many files, those with problems come first, and interviewers are chosen for all', async (t) => {
  const page = await visit(t);
  const { imports, speakers } = await opened(page, 'Many');
  await drop(page, [
    ['a.txt', call],
    ['b.txt', other],
    ['c.txt', doubtful],
    ['d.txt', ''],
  ]);
  await importing(page, 3).waitFor();
  const lines = page.getByRole('list', { name: 'Uploads' }).locator('.name');
  assert.deepEqual(await lines.allTextContents(), ['d.txt', 'c.txt', 'a.txt', 'b.txt']);
  await line(page, 'c.txt').getByText('1 warning').waitFor();
  assert.equal(await page.locator('.look').count(), 0, 'details are shown on demand');

  await page.getByRole('button', { name: 'Details of c.txt' }).click();
  await page.getByText('Read it in another way').click();
  const layout = page.getByRole('combobox', { name: 'Layout' });
  await layout.locator('option').nth(1).waitFor({ state: 'attached' });
  await layout.selectOption({
    label: (await layout.locator('option').allTextContents()).find((o) => /times of day/.test(o)),
  });
  await eventually(async () => (await layout.inputValue()) === 'hours');
  await page
    .getByRole('group', { name: 'Who asked the questions?' })
    .getByRole('checkbox', { name: /Lena/ })
    .check();
  await importing(page, 3).click();
  await page.getByRole('link', { name: 'c', exact: true }).waitFor();
  await eventually(async () => (await imports()).length === 3);
  const roles = await speakers();
  assert.deepEqual(
    roles.filter(([, name]) => name === 'Lena'),
    [
      ['a', 'Lena', 'interviewer'],
      ['b', 'Lena', 'interviewer'],
    ],
  );
  await line(page, 'd.txt').getByRole('alert').getByText('The file is empty.').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await gone(dialogOf(page));

  // The interviewer of earlier interviews is suggested for the next ones.
  await drop(page, [['e.txt', 'Lena: Who else?\nPia: Nobody else does.\n']]);
  await importing(page, 1).waitFor();
  assert.ok(await dialogOf(page).getByRole('checkbox', { name: 'Interviewer' }).first().isChecked());
});

test('a file that was imported before is skipped, kept or replaces the interview', async (t) => {
  const page = await visit(t);
  const { one, project, imports } = await opened(page, 'Repeats');
  const old = await one.upload(project, 'call.txt', call);
  await one.call('PATCH', `/rest/v1/imports?id=eq.${old}`, { title: 'Ana', interviewed_on: '2031-05-06' });
  for (const [quote, review] of [
    ['Receipts arrive late.', 'accepted'],
    ['We chase all of them.', 'suggested'],
  ])
    await one.call('POST', '/rest/v1/evidence', { project_id: project.id, import_id: old, quote, review });
  const question = page.getByRole('group', { name: /imported before$/ });

  await drop(page, [
    ['call again.txt', call],
    ['other.txt', other],
    ['other again.txt', other],
  ]);
  await question.getByRole('radio', { name: 'Skip all' }).waitFor();
  await line(page, 'call again.txt').getByText('The same file as the interview “Ana”.').waitFor();
  await line(page, 'other again.txt').getByText('The same file as other.txt.').waitFor();
  await importing(page, 1).waitFor();
  await page.getByRole('combobox', { name: 'What to do with other again.txt' }).selectOption('Keep both');
  await importing(page, 2).click();
  await eventually(async () => (await imports()).map((row) => row.title).join() === 'Ana,other,other again');

  await drop(page, [['call.txt', call]]);
  await question.getByRole('radio', { name: 'Replace' }).check();
  await question.getByText('The earlier interview is deleted with 2 quotes and 1 judgement.').waitFor();
  await importing(page, 1).click();
  await gone(dialogOf(page));
  const [now] = await imports('id,title,interviewed_on');
  assert.notEqual(now.id, old);
  assert.deepEqual([now.title, now.interviewed_on], ['Ana', '2031-05-06']);
  assert.equal((await imports()).length, 3);
  assert.deepEqual(await one.call('GET', `/rest/v1/evidence?project_id=eq.${project.id}&select=id`), []);
});

test('what was typed outlives a closed dialog, another view, a failed import and the session', async (t) => {
  const page = await visit(t);
  const { one, project, speakers } = await opened(page, 'Keeps');
  await drop(page, [['call.txt', call]]);
  await dialogOf(page).getByRole('textbox', { name: 'Speaker 2' }).fill('Ana Silva');
  await page.keyboard.press('Escape');
  await gone(dialogOf(page));
  await page.getByText('1 file is not imported yet.').waitFor();
  await page.getByRole('link', { name: 'Questions', exact: true }).click();
  await heading(page, 'Questions').waitFor();
  await page.getByRole('link', { name: 'Interviews', exact: true }).click();
  const name = dialogOf(page).getByRole('textbox', { name: 'Speaker 2' });
  await eventually(async () => (await name.inputValue()) === 'Ana Silva');

  await page.context().setOffline(true);
  await importing(page, 1).click();
  await line(page, 'call.txt').getByRole('alert').getByText('The server cannot be reached.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Details of call.txt' }).waitFor();
  assert.equal(await name.inputValue(), 'Ana Silva');

  await one.call('POST', '/auth/v1/logout?scope=global');
  await page.getByRole('button', { name: 'Try again: call.txt' }).click();
  await page.getByText('Your session has ended.').waitFor();
  await page.getByText('What you typed is kept').waitFor();
  await page.getByLabel('E-mail').fill(one.email);
  await page.getByLabel('Password').fill(one.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'call', exact: true }).waitFor(); // it is repeated
  const { access_token } = await one.signIn();
  assert.deepEqual(await speakers(one.as(access_token)), [
    ['call', 'Ana Silva', 'participant'],
    ['call', 'Lena', 'participant'],
    ['call', 'Speaker 3', 'participant'],
  ]);
  assert.equal(new URL(page.url()).pathname, `${project.path}/interviews`);
});

test('a file is imported where the browser has no secure context', async (t) => {
  const page = await visit(t);
  await page.addInitScript(() => {
    delete Crypto.prototype.randomUUID;
    delete Crypto.prototype.subtle;
  });
  const { imports } = await opened(page, 'Plain');
  await drop(page, [['call.txt', call]]);
  await importing(page, 1).click();
  await page.getByRole('link', { name: 'call', exact: true }).waitFor();
  assert.deepEqual(
    (await imports()).map(({ title }) => title),
    ['call'],
  );
});

test('each file has its title and date in a table, into which a column is pasted', async (t) => {
  const page = await visit(t);
  const { imports } = await opened(page, 'Table');
  await drop(page, [
    ['2021-04-12 ada.txt', 'Ada: Receipts take hours.\nOmar: They do.\n'],
    ['ben_04-05-2021.txt', 'Ben: We wait for the bank.\nOmar: We do.\n'],
  ]);
  await importing(page, 2).waitFor();
  const title = (name) => page.getByRole('textbox', { name: `Title of ${name}`, exact: true });
  const date = (name) => page.getByLabel(`Date of ${name}`, { exact: true });
  assert.equal(await title('2021-04-12 ada.txt').inputValue(), 'ada');
  assert.equal(await date('2021-04-12 ada.txt').inputValue(), '2021-04-12');
  assert.equal(await date('ben_04-05-2021.txt').inputValue(), '', 'the date may be of April or May');

  await title('2021-04-12 ada.txt').evaluate((input) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'Ada Weber\t2021-04-13\nBen Ortiz\t5 May\n');
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await eventually(async () => (await title('ben_04-05-2021.txt').inputValue()) === 'Ben Ortiz');
  assert.equal(await date('2021-04-12 ada.txt').inputValue(), '2021-04-13');
  assert.equal(await date('ben_04-05-2021.txt').inputValue(), '', 'what is no date changes nothing');
  await page.getByRole('alert').getByText('Not taken over: “5 May” has no year.').waitFor();
  if (process.env.PICTURES) {
    await page.screenshot({ path: `${process.env.PICTURES}/table-1280.png` });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.screenshot({ path: `${process.env.PICTURES}/table-390.png` });
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  await importing(page, 2).click();
  await gone(dialogOf(page));
  await page.getByText('2 interviews are imported.').waitFor();
  assert.match(await page.getByRole('link', { name: 'Show the list' }).getAttribute('href'), /\/interviews$/);
  assert.deepEqual(
    (await imports('title,interviewed_on')).map((one) => [one.title, one.interviewed_on]),
    [
      ['Ada Weber', '2021-04-13'],
      ['Ben Ortiz', null],
    ],
  );
});

const pasteInto = (input, text) =>
  input.evaluate((element, value) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', value);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

test('pasted dates are read as people write them, and one that may be two days is asked about', async (t) => {
  const page = await visit(t);
  const { one, project } = await opened(page, 'Dates');
  await one.call('POST', '/rest/v1/personas', { project_id: project.id, name: 'Owner' });
  await page.reload();
  await drop(page, [
    ['ada.txt', 'Ada: Receipts take hours.\nOmar: They do.\n'],
    ['ben.txt', 'Ben: We wait for the bank.\nOmar: We do.\n'],
    ['cem.txt', 'Cem: We file them in a box.\nOmar: In a box.\n'],
  ]);
  await importing(page, 3).waitFor();
  const date = (name) => page.getByLabel(`Date of ${name}.txt`, { exact: true });
  const persona = (name) => page.getByRole('combobox', { name: `Persona of ${name}.txt` });
  const dates = (...all) =>
    eventually(async () => {
      const now = await Promise.all(['ada', 'ben', 'cem'].map((name) => date(name).inputValue()));
      return now.join() === all.join();
    });

  await pasteInto(date('ada'), '03.11.2021\n4 nov. 2021\n5 de noviembre de 2021');
  await dates('2021-11-03', '2021-11-04', '2021-11-05');
  await pasteInto(date('ada'), '11/3/2021\n11/4/2021\n11/5/2021');
  const question = page.getByRole('alert').getByText('may be two days. Which is first?');
  await question.waitFor();
  await dates('2021-11-03', '2021-11-04', '2021-11-05');
  await picture(page, 'table-dates');
  await page.getByRole('button', { name: 'the day', exact: true }).click();
  await dates('2021-03-11', '2021-04-11', '2021-05-11');
  await gone(question);
  await pasteInto(date('ada'), '11/3/2021\n11/25/2021');
  await dates('2021-11-03', '2021-11-25', '2021-05-11');

  await page.getByRole('checkbox', { name: 'Select ada.txt' }).check();
  await page.getByRole('checkbox', { name: 'Select cem.txt' }).check();
  await pasteInto(date('cem'), '12 March 2021');
  await dates('2021-03-12', '2021-11-25', '2021-03-12');
  await persona('ada').selectOption('Owner');
  await eventually(
    async () => (await persona('cem').inputValue()) !== '' && (await persona('ben').inputValue()) === '',
  );
  await pasteInto(persona('ben'), 'Chef');
  await page.getByRole('alert').getByText('Not taken over: “Chef” is no persona of this project.').waitFor();

  for (const name of ['ben', 'cem']) await page.getByRole('button', { name: `Remove ${name}.txt` }).click();
  await importing(page, 1).click();
  await page.getByText('1 interview is imported.').waitFor();
  await page.getByRole('link', { name: 'Open it' }).click();
  await heading(page, 'ada').waitFor();
});
