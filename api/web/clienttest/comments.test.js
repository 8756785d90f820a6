// Memos and comments on quotes, which mention members of the workspace.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { enter, eventually, gone, keepMessages, person, picture, quiet, served, visit } from './harness.js';
import { joined } from './judged.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const { mentionedIn, offered, partsOf, wantedAt } = await served('views/comments/mentions.js');

const team = [
  { id: '1', name: 'Anna' },
  { id: '2', name: 'Anna Lena Muß' },
  { id: '3', name: 'Özgür' },
];

test('the longest name after @ is a mention, and an address is none', () => {
  const mentioned = (text) => mentionedIn(text, team);
  assert.deepEqual(mentioned('@Anna Lena Muß, and @Özgür: look'), ['2', '3']);
  assert.deepEqual(mentioned('@Anna, @Anna again'), ['1']);
  assert.deepEqual(mentioned('write to me@Anna or @Annabel'), []);
  assert.deepEqual(partsOf('a @Özgür b', team), ['a ', team[2], ' b']);
  assert.deepEqual(partsOf('', team), []);
});

test('of members with the same name, those are mentioned who were chosen', () => {
  const namesakes = [...team, { id: '4', name: 'Anna' }];
  assert.deepEqual(mentionedIn('@Anna', namesakes, ['4']), ['4']);
  assert.deepEqual(mentionedIn('@Anna and @Anna', namesakes, ['4', '1']), ['4', '1']);
  assert.deepEqual(mentionedIn('@Anna', namesakes, ['1', '4']), ['4']); // the other one was deleted
  assert.deepEqual(mentionedIn('@Özgür', namesakes), ['3']);
  assert.throws(() => mentionedIn('@Anna', namesakes), /Several members are called Anna/);
});

test('names are offered while they are typed', () => {
  assert.deepEqual(wantedAt('see @ann', 8), { from: 4, typed: 'ann' });
  assert.deepEqual(wantedAt('@', 1), { from: 0, typed: '' });
  assert.equal(wantedAt('me@example', 10), null);
  assert.equal(wantedAt('@ann\nb', 6), null);
  assert.deepEqual(
    offered(team, 'le').map(({ id }) => id),
    ['2'],
  );
  assert.deepEqual(
    offered(team, 'oz').map(({ id }) => id),
    ['3'],
  );
  assert.equal(offered(team, '').length, 3);
});

const text = 'Harriet: The tips go into one jar, and the loud ones take most of it.\n';

test('members write a memo and comments about a quote, with the keyboard', async (t) => {
  const page = await visit(t);
  await keepMessages(page);
  const [one, two, reader] = [
    await person('Mia Writes'),
    await person('Tom Reads'),
    await person('Vera Views'),
  ];
  const project = await one.project('Tips are shared.');
  await joined(one, project, two, 'editor');
  await joined(one, project, reader, 'viewer');
  const id = await one.upload(project, 'harriet.txt', text);
  const [quote] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'the loud ones take most of it',
    review: 'accepted',
  });
  const written = () =>
    one.call('GET', `/rest/v1/comments?evidence_id=eq.${quote.id}&select=body,mentions&order=created_at`);
  await enter(page, one, `/imports/${id}`);
  await page.locator(`[data-evidence-card="${quote.id}"]`).waitFor();
  await quiet(page);
  await page.keyboard.press('j');
  await page.keyboard.press('n');
  const dialog = (of) => of.getByRole('dialog', { name: 'Memo and comments' });
  const memo = dialog(page).getByRole('textbox', { name: 'Memo' });
  await eventually(() => memo.evaluate((box) => box === document.activeElement));
  await page.keyboard.type('She laughs when she says it.');
  await page.keyboard.press('Tab');
  await page.getByText('Memo saved.').waitFor();
  await eventually(
    async () =>
      (await one.call('GET', `/rest/v1/evidence?id=eq.${quote.id}&select=memo`))[0].memo ===
      'She laughs when she says it.',
  );
  await page.keyboard.type('Is this typical, @tom');
  await dialog(page).getByRole('option', { name: 'Tom Reads' }).waitFor();
  await picture(page, 'comments-mention');
  await page.keyboard.press('Enter');
  await page.keyboard.type('?');
  await page.keyboard.press('Control+Enter');
  await dialog(page).locator('.mention').getByText('@Tom Reads').waitFor();
  const { user: tom } = await two.signIn();
  assert.deepEqual(await written(), [{ body: 'Is this typical, @Tom Reads ?', mentions: [tom.id] }]);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(violations, []);
  await picture(page, 'comments');

  const beside = await visit(t);
  await enter(beside, two, `/imports/${id}`);
  await t.test('another member sees it, answers, and the answer appears', async () => {
    const card = beside.locator(`[data-evidence-card="${quote.id}"]`);
    await card.click();
    await card.getByRole('button', { name: /Notes.*1 comment/ }).click();
    await dialog(beside).getByText('Is this typical').waitFor();
    assert.equal(await dialog(beside).getByRole('button', { name: 'Delete' }).count(), 0); // not theirs
    await dialog(beside).getByLabel('Write a comment').fill('No.');
    await dialog(beside).getByRole('button', { name: 'Comment', exact: true }).click();
    await dialog(page).getByText('No.', { exact: true }).waitFor();
  });

  await t.test('who wrote a comment changes and deletes it', async () => {
    await dialog(page).getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Change the comment').fill('Is this typical?');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Is this typical?', { exact: true }).waitFor();
    assert.deepEqual((await written())[0], { body: 'Is this typical?', mentions: [] });
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await gone(dialog(page).getByText('Is this typical?', { exact: true }));
    await dialog(page).getByRole('button', { name: 'Undo' }).click();
    await dialog(page).getByText('Is this typical?', { exact: true }).waitFor();
    assert.equal((await written()).length, 2);
  });

  await t.test('viewers read it all, and change nothing', async () => {
    const third = await visit(t, { width: 390, height: 800, colorScheme: 'dark' });
    await enter(third, reader, `/imports/${id}`);
    const card = third.locator(`[data-evidence-card="${quote.id}"]`);
    await card.click();
    assert.equal(await card.getByRole('button', { name: 'Theme' }).count(), 0);
    await card.getByRole('button', { name: /Notes/ }).click();
    await dialog(third).getByText('She laughs when she says it.').waitFor();
    await dialog(third).getByText('No.', { exact: true }).waitFor();
    assert.equal(await dialog(third).locator('textarea, .acts button').count(), 0);
    assert.ok(await third.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await picture(third, 'comments-narrow');
  });

  const reopened = async () => {
    await page.keyboard.press('Escape');
    await gone(dialog(page));
    await page.keyboard.press('n');
    await memo.waitFor();
    await quiet(page);
  };
  const field = dialog(page).getByLabel('Write a comment');

  await t.test('a namesake who is chosen is mentioned, and what is written is kept', async () => {
    const namesake = await person('Tom Reads');
    await joined(one, project, namesake, 'viewer');
    const { user } = await namesake.signIn();
    await reopened();
    await field.click();
    await page.keyboard.type('Ask @tom');
    await dialog(page).getByRole('option', { name: namesake.email }).click();
    await page.keyboard.type('too');
    await reopened();
    assert.equal(await field.inputValue(), 'Ask @Tom Reads too');
    await dialog(page).getByRole('button', { name: 'Comment', exact: true }).click();
    await dialog(page).locator('li .text', { hasText: 'Ask @Tom Reads too' }).waitFor();
    assert.deepEqual((await written()).at(-1), { body: 'Ask @Tom Reads too', mentions: [user.id] });
    await reopened();
    assert.equal(await field.inputValue(), '');
  });

  await t.test('a comment waits for the members whom it mentions', async () => {
    const members = /\/rest\/v1\/workspace_members/;
    await page.route(members, (route) => route.fulfill({ status: 400, json: { message: 'No members.' } }));
    await reopened();
    await field.fill('And @Vera Views?');
    await page.keyboard.press('Control+Enter');
    await dialog(page).getByText('No members.').waitFor();
    await page.unroute(members);
    await page.keyboard.press('Control+Enter');
    await eventually(async () => (await field.inputValue()) === '');
    const { user } = await reader.signIn();
    assert.deepEqual((await written()).at(-1), { body: 'And @Vera Views?', mentions: [user.id] });
  });

  await t.test('a memo does not overwrite what somebody else wrote meanwhile', async () => {
    const path = `/rest/v1/evidence?id=eq.${quote.id}&select=memo`;
    const stored = async () => (await one.call('GET', path))[0].memo;
    const choice = dialog(page).getByRole('group', { name: 'Which memo stays' });
    await reopened();
    await two.call('PATCH', path, { memo: 'Theirs.' });
    await memo.fill('Mine.');
    await page.keyboard.press('Tab');
    await choice.getByText('Theirs.').waitFor();
    await picture(page, 'comments-memo-clash');
    assert.equal(await stored(), 'Theirs.');
    await reopened();
    assert.equal(await memo.inputValue(), 'Mine.');
    await choice.getByRole('button', { name: 'Save mine instead' }).click();
    await eventually(async () => (await stored()) === 'Mine.');
    await gone(choice);
    await two.call('PATCH', path, { memo: 'Later.' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('The memo was changed since.').waitFor();
    assert.equal(await stored(), 'Later.');
  });
});
