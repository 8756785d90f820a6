// The board of themes: keyboard, pointer, undo, proposals, groups of people.
import assert from 'node:assert/strict';
import test from 'node:test';
import { column, interviewed, said, stored, themed } from './coded.js';
import { asService, enter, eventually, gone, heading, person, picture, quiet, visit } from './harness.js';
import { joined } from './judged.js';
import { accessible, choose, current, done, press } from './themeboard.js';

test('themes are made, merged, split, nested and undone with the keyboard', async (t) => {
  const page = await visit(t, { height: 900 });
  const one = await person('Coder');
  const project = await interviewed(one);
  await enter(page, one, project.path);
  await page.getByRole('link', { name: 'Themes', exact: true }).click();
  await heading(page, 'Themes').waitFor();
  await column(page, 'No theme yet').getByText('3 people · 7 quotes').waitFor();
  await page.getByRole('article').nth(6).waitFor();
  await picture(page, 'themes-begin');

  // Three quotes about tips, one after the other, each into a theme of its own.
  await press(page, 'ArrowDown');
  assert.match(await current(page).innerText(), /The tips are split/);
  await press(page, 'm');
  await choose(page, 'Move 1 quote to', 'Tips');
  await done(page, /Moved 1 quote to “\W?Tips\W?”/);
  await column(page, 'Tips').getByText('one voice · 1 quote').waitFor();
  assert.match(await current(page).innerText(), /My boss favours/, 'the next quote has the focus');
  await eventually(() => current(page).evaluate((card) => card === document.activeElement));
  await press(page, 'm');
  await choose(page, 'Move 1 quote to', 'Favours');
  await press(page, 'ArrowDown');
  assert.match(await current(page).innerText(), /Nobody knows/);
  await press(page, 'm');
  await choose(page, 'Move 1 quote to', 'Counting');
  await press(page, 'End', 'ArrowUp');
  assert.match(await current(page).innerText(), /Tips go into a jar/);
  await press(page, 'm');
  await choose(page, 'Move 1 quote to', 'Jars');
  const apart = {
    Tips: [said.Ada[0]],
    Favours: [said.Ada[1]],
    Counting: [said.Ben[0]],
    Jars: [said.Cleo[0]],
  };
  await stored(one, project, apart);

  // Two themes are selected and merged into the first: three themes become one, and again three.
  await column(page, 'Counting').waitFor();
  await press(page, 'ArrowRight');
  const to = async (name) => {
    await press(page, 'Home');
    for (let i = 0; i < 8; i++) {
      if ((await current(page).innerText()).startsWith(name)) return;
      await press(page, 'ArrowRight');
      await page.waitForTimeout(50);
    }
    assert.fail(`${name} is not reached`);
  };
  await press(page, 'Home', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft');
  await to('Counting');
  await press(page, 'x');
  await to('Jars');
  await press(page, 'x');
  await page.getByText('2 items selected').waitFor();
  await press(page, 'g');
  await choose(page, 'Merge 2 themes into', 'Tips');
  await done(page, /Merged 2 themes into “\W?Tips\W?”/);
  await column(page, 'Tips').getByText('3 people · 3 quotes').waitFor();
  await eventually(async () => (await current(page).innerText()).startsWith('Tips'));
  await eventually(() => current(page).evaluate((head) => head === document.activeElement));
  await stored(one, project, { Tips: [said.Ada[0], said.Ben[0], said.Cleo[0]], Favours: [said.Ada[1]] });
  await press(page, 'u');
  await done(page, /Undone: merged 2 themes/);
  await column(page, 'Jars').waitFor();
  await stored(one, project, apart);
  await page.locator('.theme-bar').getByRole('button', { name: 'Redo' }).click();
  await done(page, /Done again: merged 2 themes/);
  await gone(column(page, 'Jars'));
  await stored(one, project, { Tips: [said.Ada[0], said.Ben[0], said.Cleo[0]], Favours: [said.Ada[1]] });
  await picture(page, 'themes-merged');

  // The name that was merged is found, and leads to where its quotes are.
  await press(page, 'Home', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft');
  await to('No theme yet');
  await press(page, 'ArrowDown', 'm');
  await page.getByRole('dialog').getByRole('combobox').fill('jars');
  await page.getByRole('option', { name: /merged into Tips/ }).waitFor();
  await press(page, 'Escape');
  await gone(page.getByRole('dialog'));

  // A part of a theme is split off, and nested below it.
  await to('Tips');
  await press(page, 'End', 'x', 'ArrowUp', 'x', 's');
  await page.getByLabel('Name of the new theme').fill('Unclear tips');
  await press(page, 'Enter');
  await done(page, /Split 2 quotes off/);
  await column(page, 'Unclear tips').getByText('2 people · 2 quotes').waitFor();
  await eventually(async () => (await current(page).innerText()).startsWith('Unclear tips'));
  await press(page, 'n');
  await choose(page, 'Nest “Unclear tips” below', 'Tips');
  await done(page, /Nested/);
  await column(page, 'Tips').getByRole('heading', { level: 3, name: 'Unclear tips' }).waitFor();
  await column(page, 'Tips').getByText('with those below: 3 people · 3 quotes').waitFor();
  await stored(one, project, {
    Tips: [said.Ada[0]],
    'Unclear tips': [said.Ben[0], said.Cleo[0]],
    Favours: [said.Ada[1]],
  });
  await picture(page, 'themes-nested');

  // A name that is there, however it is spaced, is found. That changes nothing, and cannot be undone.
  await page.getByLabel('Name of a new theme').fill('unclear   TIPS');
  await press(page, 'Enter');
  await done(page, /There is “\W?Unclear tips\W?” already/);
  await eventually(() => current(page).evaluate((head) => head === document.activeElement));
  assert.equal(await page.locator('.theme-bar').getByRole('button', { name: 'Undo' }).count(), 0);

  // A theme is renamed and described; a name that is taken is refused.
  await to('Favours');
  await press(page, 'r');
  await page.getByLabel('Name', { exact: true }).fill('tips');
  await press(page, 'Enter');
  await page.getByRole('alert').getByText('A theme has the name “tips” already').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Favouritism');
  await page.getByLabel('Description').fill('Bosses prefer their family.');
  await page.getByRole('button', { name: 'Save' }).click();
  await done(page, /Renamed/);
  await column(page, 'Favouritism').waitFor();

  // A quote gets a further theme, and loses it again.
  await to('Favouritism');
  await press(page, 'ArrowDown', 't');
  await choose(page, 'Give 1 quote a theme', 'Family');
  await column(page, 'Family').getByText('one voice · 1 quote').waitFor();
  await column(page, 'Favouritism').getByText('also: Family').waitFor();
  await press(page, 'Delete');
  await gone(column(page, 'Favouritism').getByRole('article'));
  await stored(one, project, {
    Tips: [said.Ada[0]],
    'Unclear tips': [said.Ben[0], said.Cleo[0]],
    Favouritism: [],
    Family: [said.Ada[1]],
  });

  // Undo goes back, one change after the other.
  await done(page, /Took 1 quote/);
  await press(page, 'u', 'u');
  await done(page, /Undone: 1 quote also has “\W?Family/);
  for (const what of [/added “\W?Family/, /renamed “\W?Favours/, /nested “\W?Unclear tips/]) {
    await press(page, 'u');
    await done(page, what);
  }
  await column(page, 'Favours').waitFor();
  await column(page, 'Unclear tips').waitFor();

  // Others' pages show it after a moment, and a reload keeps the focus.
  await to('Favours');
  await press(page, 'e');
  await page.getByRole('dialog', { name: 'Favours' }).getByLabel('Memo').fill('Ask about this.');
  await press(page, 'Escape');
  await gone(page.getByRole('dialog'));
  await press(page, '?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('merge themes').waitFor();
  await picture(page, 'themes-keys');
  await press(page, 'Escape');
  await quiet(page);
  await accessible(page);
});

test('a theme becomes a hypothesis, is archived and restored', async (t) => {
  const page = await visit(t);
  const one = await person('Believer');
  const project = await interviewed(one);
  await themed(one, project, 'Tips', [said.Ada[0], said.Ben[0]], {
    description: 'Tips are not counted fairly.',
  });
  const paper = await themed(one, project, 'Paper', [said.Ada[2]]);
  await enter(page, one, `${project.path}/themes`);
  await column(page, 'Tips').getByRole('heading', { name: 'Tips' }).click();
  await press(page, 'h');
  const statement = page.getByLabel('Statement');
  assert.equal(await statement.inputValue(), 'Tips are not counted fairly.');
  await picture(page, 'themes-hypothesis');
  await page.getByRole('button', { name: 'Make the hypothesis' }).click();
  await done(page, /is a hypothesis/);
  assert.equal(await page.locator('.theme-bar').getByRole('button', { name: 'Undo' }).count(), 0);
  await page.locator('.theme-bar').getByRole('link', { name: 'Open it' }).click();
  await heading(page, 'Tips are not counted fairly.').waitFor();
  await page
    .getByText(/2 of 2 participants support/)
    .first()
    .waitFor();
  await page.goBack();

  await column(page, 'Paper').getByRole('heading', { name: 'Paper' }).click();
  await press(page, 'r');
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await gone(column(page, 'Paper'));
  await column(page, 'No theme yet').getByText(said.Ada[2]).waitFor();
  await page.getByRole('button', { name: 'Archived 1' }).click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await press(page, 'Escape');
  await column(page, 'Paper').getByText(said.Ada[2]).waitFor();

  // An address can name a theme.
  await page.goto(new URL(`${project.path}/themes?theme=${paper.id}`, page.url()).href);
  await eventually(async () => (await current(page).innerText()).startsWith('Paper'));
  await eventually(() => current(page).evaluate((head) => head === document.activeElement));
});

test('quotes and themes are dragged, and others see it', async (t) => {
  const page = await visit(t, { width: 1440 });
  const one = await person('Dragger');
  const project = await interviewed(one);
  await themed(one, project, 'Tips', [said.Ada[0]]);
  await themed(one, project, 'Family');
  const other = await person('Watcher');
  await joined(one, project, other, 'viewer');
  const theirs = await visit(t, { width: 1440 });
  await enter(theirs, other, `${project.path}/themes`);
  await column(theirs, 'Family').getByText('no quotes', { exact: true }).waitFor();
  await enter(page, one, `${project.path}/themes`);
  const card = (name, text) => column(page, name).getByRole('article').filter({ hasText: text });
  await card('No theme yet', said.Ben[1]).dragTo(column(page, 'Family'));
  await done(page, /Moved 1 quote to “\W?Family\W?”/);
  await column(theirs, 'Family').getByText('one voice · 1 quote').waitFor();
  await column(theirs, 'Family').getByText(said.Ben[1]).waitFor();

  // Several quotes at once.
  await card('No theme yet', said.Ben[0]).hover();
  await card('No theme yet', said.Ben[0]).getByLabel('Select').check();
  await card('No theme yet', said.Cleo[0]).hover();
  await card('No theme yet', said.Cleo[0]).getByLabel('Select').check();
  await card('No theme yet', said.Cleo[0]).dragTo(column(page, 'Tips'));
  await done(page, /Moved 2 quotes/);
  const both = { Tips: [said.Ada[0], said.Ben[0], said.Cleo[0]], Family: [said.Ben[1]] };
  await stored(one, project, both);

  // Quotes of two themes leave them together, and come back together.
  await card('Tips', said.Ada[0]).hover();
  await card('Tips', said.Ada[0]).getByLabel('Select').check();
  await card('Family', said.Ben[1]).hover();
  await card('Family', said.Ben[1]).getByLabel('Select').check();
  await press(page, 'Delete');
  await done(page, /Took 2 quotes out of themes/);
  await stored(one, project, { Tips: [said.Ben[0], said.Cleo[0]], Family: [] });
  await press(page, 'u');
  await stored(one, project, both);

  // A theme that is dropped on another one is asked about.
  await column(page, 'Family').getByRole('heading').dragTo(column(page, 'Tips').getByRole('heading'));
  await page.getByRole('button', { name: 'Move “Family” to the place of “Tips”' }).click();
  await eventually(async () => {
    const names = await page.locator('.theme-column h2').allInnerTexts();
    return names.indexOf('Family') === 1 && names.indexOf('Tips') === 2;
  });

  await column(theirs, 'Tips').getByText('3 people · 3 quotes').waitFor();
  await eventually(async () => (await theirs.locator('.theme-column h2').allInnerTexts())[1] === 'Family');

  // Who may only read has no controls that change something.
  assert.equal(await theirs.getByRole('button', { name: 'Propose themes' }).count(), 0);
  assert.equal(await theirs.getByLabel('Name of a new theme').count(), 0);
  await column(theirs, 'Tips').getByRole('article').first().click();
  await press(theirs, 'm', 't', 's', 'g', 'Delete');
  assert.equal(await theirs.getByRole('dialog').count(), 0);
  await theirs.getByRole('link', { name: 'Open the transcript' }).waitFor();
  await picture(theirs, 'themes-viewer');
});

test('proposed themes are accepted, renamed or dismissed', async (t) => {
  const page = await visit(t, { height: 900 });
  const one = await person('Judge');
  const project = await interviewed(one);
  for (const [name, words] of [
    ['Unfair tips', [said.Ada[0], said.Ben[0], said.Cleo[0]]],
    ['Nepotism', [said.Ada[1]]],
    ['Relatives', [said.Ben[1]]],
  ]) {
    const [theme] = await asService('POST', '/rest/v1/themes', {
      project_id: project.id,
      name,
      description: `What people say about ${name.toLowerCase()}.`,
      origin: 'ai',
      status: 'proposed',
    });
    await asService(
      'POST',
      '/rest/v1/evidence_themes',
      words.map((quote) => ({
        evidence_id: project.quotes[quote],
        theme_id: theme.id,
        project_id: project.id,
        origin: 'ai',
        review: 'suggested',
      })),
    );
  }
  await enter(page, one, `${project.path}/themes`);
  await page.getByRole('heading', { name: '3 proposed themes' }).waitFor();
  const proposal = (name) => page.getByRole('article', { name, exact: true });
  await proposal('Unfair tips').getByText('3 people · 3 quotes').waitFor();
  await proposal('Unfair tips').getByText(said.Ben[0]).waitFor();
  await column(page, 'No theme yet').getByText('2 people · 2 quotes').waitFor();
  await picture(page, 'themes-proposals');
  await proposal('Unfair tips')
    .getByRole('button', { name: /Not part of.*jar/ })
    .click();
  await proposal('Unfair tips').getByText('2 people · 2 quotes').waitFor();
  await proposal('Unfair tips').getByRole('button', { name: 'Accept', exact: true }).click();
  await column(page, 'Unfair tips').getByText('2 people · 2 quotes').waitFor();
  await column(page, 'No theme yet').getByText(said.Cleo[0]).waitFor();
  await proposal('Nepotism').getByRole('button', { name: 'Rename and accept' }).click();
  await page.getByLabel('Name', { exact: true }).fill('unfair  tips');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('A theme has the name').waitFor();
  const links = (of) =>
    one.call(
      'GET',
      `/rest/v1/evidence_themes?evidence_id=eq.${project.quotes[of]}&select=review,themes(status)`,
    );
  assert.deepEqual(await links(said.Ada[1]), [{ review: 'suggested', themes: { status: 'proposed' } }]);
  await page.getByLabel('Name', { exact: true }).fill('Favouritism');
  await page.keyboard.press('Enter');
  await column(page, 'Favouritism').getByText('one voice · 1 quote').waitFor();
  await proposal('Relatives').getByRole('button', { name: 'Dismiss' }).click();
  await gone(page.getByRole('heading', { name: /proposed theme/ }));
  await column(page, 'No theme yet').getByText(said.Ben[1]).waitFor();
  await stored(one, project, { 'Unfair tips': [said.Ada[0], said.Ben[0]], Favouritism: [said.Ada[1]] });
  await page.keyboard.press('u');
  await page.getByRole('heading', { name: '1 proposed theme' }).waitFor();

  // What the model put into a theme is rejected by whoever moves it to none.
  await column(page, 'Favouritism').getByText(said.Ada[1]).click();
  await page.keyboard.press('m');
  await page.getByRole('button', { name: 'No theme', exact: true }).click();
  await done(page, /Moved 1 quote to “No theme yet”/);
  assert.deepEqual(await links(said.Ada[1]), [{ review: 'rejected', themes: { status: 'active' } }]);
});

test('themes are compared by groups of people', async (t) => {
  const page = await visit(t);
  const one = await person('Comparer');
  const project = await interviewed(one);
  const tips = await themed(one, project, 'Tips', [said.Ada[0], said.Ben[0]]);
  await themed(one, project, 'Jars', [said.Cleo[0], said.Ben[0]], { parent_id: tips.id });
  await themed(one, project, 'Guilt', [said.Cleo[1]]);
  const [persona] = await one.call('POST', '/rest/v1/personas', { project_id: project.id, name: 'Waiters' });
  const people = `/rest/v1/participants?project_id=eq.${project.id}`;
  await one.call('PATCH', `${people}&name=in.(Ada,Ben)`, {
    persona_id: persona.id,
    attributes: { city: 'Bonn' },
  });
  await enter(page, one, `${project.path}/themes`);
  await page.getByRole('link', { name: 'By group' }).click();
  const rows = () =>
    page
      .locator('.theme-matrix tbody tr')
      .evaluateAll((all) =>
        all.map((tr) => [...tr.children].map((c) => c.innerText.replace(/\s+/g, ' ').trim()).join(' | ')),
      );
  const row = (...cells) => cells.join(' | ');
  await eventually(async () => (await rows()).length === 3);
  assert.deepEqual(await rows(), [
    row('Tips', '3 of 3 3 quotes', '2 of 2 2 quotes', '1 of 1 1 quote'),
    row('Jars', '2 of 3 2 quotes', '1 of 2 1 quote', '1 of 1 1 quote'),
    row('Guilt', '1 of 3 1 quote', '–', '1 of 1 1 quote'),
  ]);
  await picture(page, 'themes-matrix');
  await accessible(page);
  await page.getByLabel('Compare by').selectOption('has:city');
  await page.getByRole('columnheader', { name: /Bonn/ }).waitFor();
  await page.getByRole('link', { name: 'Bonn: 2 of 2 people, 2 quotes' }).click();
  await column(page, 'Tips').getByText('2 people · 2 quotes', { exact: true }).waitFor();
  assert.equal(await page.getByLabel('People').locator('option:checked').innerText(), 'city: Bonn');
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByLabel('Quotes', { exact: true }).selectOption('unassigned');
  await column(page, 'No theme yet').getByText('2 people · 3 quotes').waitFor();
  await column(page, 'Guilt').getByText('Nothing matches the filter.').waitFor();

  // A hypothesis gets the quotes of the themes below, too.
  await column(page, 'Tips').getByRole('heading', { name: 'Tips' }).click();
  await press(page, 'h');
  await page.getByText('3 quotes are linked as evidence.').waitFor();
});
