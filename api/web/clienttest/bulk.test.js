// Several interviews of the list at once.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { enter, eventually, gone, person, picture, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('several interviews get a persona and a date, are analysed and deleted', async (t) => {
  const page = await visit(t);
  const one = await person('Tidier');
  const project = await one.project('Receipts take long.');
  const [persona] = await one.call('POST', '/rest/v1/personas', { project_id: project.id, name: 'Clerk' });
  for (const name of ['ana', 'ben', 'cleo', 'dan'])
    await one.upload(project, `${name}.txt`, `${name}: Receipts take ${name.length} hours.\nKim: Why?\n`);
  await enter(page, one, `${project.path}/interviews`);
  const rows = (columns) =>
    one.call('GET', `/rest/v1/imports?project_id=eq.${project.id}&select=title,${columns}&order=title`);
  const several = page.getByRole('group', { name: 'Several interviews' });
  const choose = (title) => page.getByRole('checkbox', { name: `Select ${title}` });

  await t.test('a persona by the keyboard, which can be undone', async () => {
    await several.getByLabel('Select all').press('Space');
    await several.getByText('4 selected').waitFor();
    await choose('cleo').press('Space');
    await several.getByText('3 selected').waitFor();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document));
    assert.deepEqual(
      violations.map(({ id }) => id),
      [],
    );
    await picture(page, 'bulk');
    await several.getByLabel('Persona of the selected interviews').selectOption('Clerk');
    await page.getByText('The persona of 3 interviews changed.').waitFor();
    assert.deepEqual(
      (await rows('persona_id')).map((row) => row.persona_id),
      [persona.id, persona.id, null, persona.id],
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await rows('persona_id')).every((row) => row.persona_id === null));
  });

  await t.test('a date', async () => {
    await several.getByRole('button', { name: 'Date…' }).click();
    await page.getByRole('dialog').getByLabel('Date of the interviews').fill('2031-05-06');
    await page.keyboard.press('Enter');
    await page.getByText('The date of 3 interviews changed.').waitFor();
    assert.equal(
      (await rows('interviewed_on')).filter((row) => row.interviewed_on === '2031-05-06').length,
      3,
    );
  });

  await t.test('an analysis from scratch', async () => {
    await several.getByRole('button', { name: 'Analyse from scratch…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Analyse 3 interviews from scratch?' });
    await dialog.getByRole('button', { name: 'Analyse from scratch' }).click();
    await gone(dialog);
    await several.getByText('Select all').waitFor();
    await eventually(
      async () => (await rows('status')).filter((row) => row.status === 'parsed').length === 3,
    );
  });

  await t.test('deletion, which says what failed', async () => {
    await choose('ana').click();
    await choose('dan').click({ modifiers: ['Shift'] });
    await several.getByText('4 selected').waitFor();
    await choose('cleo').click();
    await page.route('**/api/import/*', async (route) => {
      const ben = (await rows('id')).find((row) => row.title === 'ben');
      const fails = route.request().method() === 'DELETE' && route.request().url().includes(ben.id);
      return fails
        ? route.fulfill({ status: 503, json: { error: 'unavailable', message: 'The database is away.' } })
        : route.continue();
    });
    await several.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 interviews?' });
    await picture(page, 'bulk-delete');
    await dialog.getByRole('button', { name: 'Delete 3 interviews' }).click();
    await page.getByText('1 of 3 interviews failed: ben. The database is away.').waitFor();
    await page.getByText('2 interviews deleted.').waitFor();
    await several.getByText('1 selected').waitFor();
    assert.deepEqual(
      (await rows('id')).map((row) => row.title),
      ['ben', 'cleo'],
    );
    await page.unroute('**/api/import/*');
  });
});
