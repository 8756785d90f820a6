// Messages stay until they are read, and what they offer to undo happens otherwise.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, gone, heading, person, quiet, visit } from './harness.js';

async function asking(page, texts) {
  const one = await person('Asks');
  const project = await one.project('Receipts take long.');
  for (const text of texts) await one.call('POST', '/rest/v1/questions', { project_id: project.id, text });
  await enter(page, one, `${project.path}/questions`);
  await page.getByText(texts[0]).waitFor();
  const left = async () =>
    (await one.call('GET', `/rest/v1/questions?project_id=eq.${project.id}&select=id`)).length;
  const remove = async (text) => {
    await page.getByRole('button', { name: `Edit: ${text}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await gone(page.getByText(text));
  };
  return { left, remove };
}

test('every deletion happens, also if many follow each other', async (t) => {
  const page = await visit(t);
  const texts = ['When was the first?', 'Who was second?', 'Why a third?', 'What came fourth?', 'And fifth?'];
  const { left, remove } = await asking(page, texts);
  for (const text of texts) await remove(text);
  await eventually(async () => (await left()) <= 4);
  await page.goto('about:blank'); // the others are completed when the page is left
  await eventually(async () => (await left()) === 0);
});

test('a message waits while the pointer is on it, and an error until it is dismissed', async (t) => {
  const page = await visit(t);
  const { left, remove } = await asking(page, ['When did that last happen?', 'Who pays?']);
  await quiet(page);
  await page.clock.install();
  await remove('When did that last happen?');
  const message = page.getByText('Question deleted.');
  await message.hover();
  await page.clock.fastForward(60_000);
  assert.equal(await message.count(), 1);
  assert.equal(await left(), 2);
  await page.mouse.move(0, 0);
  await page.clock.fastForward(9_000);
  await gone(message);
  await eventually(async () => (await left()) === 1);

  await page.context().setOffline(true);
  await page.getByLabel('Status').selectOption('asked');
  const error = page.getByRole('alert').getByText('The server cannot be reached.');
  await error.waitFor();
  await page.clock.fastForward(60_000);
  assert.equal(await error.count(), 1);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await gone(error);
});

test('what was typed when the session ended is there again', async (t) => {
  const page = await visit(t);
  const one = await person('Interrupted');
  const project = await one.project('Receipts take long.');
  await enter(page, one, project.path);
  await page.getByRole('button', { name: 'New hypothesis' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Statement').fill('Auditors ask for every receipt.');
  await dialog.getByLabel('Importance').selectOption('high');
  await one.call('POST', '/auth/v1/logout?scope=global');
  await dialog.getByRole('button', { name: 'Add hypothesis' }).click();
  await page.getByText('Your session has ended.').waitFor();
  await page.getByText('What you typed is kept').waitFor();
  await page.getByLabel('E-mail').fill(one.email);
  await page.getByLabel('Password').fill(one.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Hypotheses').waitFor();
  await page.getByRole('button', { name: 'New hypothesis' }).click();
  await dialog.getByText('What you typed is here again.').waitFor();
  assert.equal(await dialog.getByLabel('Statement').inputValue(), 'Auditors ask for every receipt.');
  assert.equal(await dialog.getByLabel('Importance').inputValue(), 'high');
  await dialog.getByRole('button', { name: 'Add hypothesis' }).click();
  await page.getByRole('link', { name: 'Auditors ask for every receipt.' }).waitFor();
});
