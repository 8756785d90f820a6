// Deletions of interviews, and their undo.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { enter, eventually, gone, heading, person, picture, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// listed opens a list of interviews, each with a quote that was accepted.
async function listed(t, names, size) {
  const page = await visit(t, size);
  const one = await person('Keeper');
  const project = await one.project('Receipts take long.');
  for (const name of names) {
    const id = await one.upload(project, `${name}.txt`, `${name}: Receipts take hours.\nKim: Why?\n`);
    await one.call('POST', '/rest/v1/evidence', {
      project_id: project.id,
      import_id: id,
      quote: 'Receipts take hours.',
      review: 'accepted',
    });
  }
  await enter(page, one, `${project.path}/interviews`);
  await page.getByRole('link', { name: names[0], exact: true }).waitFor();
  const rows = async () =>
    (
      await one.call(
        'GET',
        `/rest/v1/imports?project_id=eq.${project.id}&select=title,evidence(review)&order=title`,
      )
    ).map(({ title, evidence }) => `${title}: ${evidence.map(({ review }) => review)}`);
  return { page, one, project, rows, recently: page.getByText(/^Recently deleted/) };
}

test('three interviews are deleted, and are back as they were', async (t) => {
  const { page, rows, recently } = await listed(t, ['ana', 'ben', 'cleo', 'dan']);
  const several = page.getByRole('group', { name: 'Several interviews' });
  const before = await rows();
  assert.equal(await recently.count(), 0);
  await page.getByRole('checkbox', { name: 'Select ana' }).check();
  await page.getByRole('checkbox', { name: 'Select ben' }).check();
  await page.getByRole('checkbox', { name: 'Select cleo' }).check();
  await several.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 3 interviews?' });
  await dialog.getByText('They can be restored for a day.').waitFor();
  await dialog.getByRole('button', { name: 'Delete 3 interviews' }).click();
  await page.getByText('3 interviews deleted.').waitFor();
  await gone(page.getByRole('link', { name: 'ben', exact: true }));
  await page.getByText('Recently deleted (3)').waitFor();
  assert.deepEqual(await rows(), ['dan: accepted']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('3 interviews restored.').waitFor();
  await page.getByRole('link', { name: 'ben', exact: true }).waitFor();
  await gone(recently);
  assert.deepEqual(await rows(), before);
});

test('an interview that was deleted is restored later, by the keyboard', async (t) => {
  const { page, rows, recently } = await listed(t, ['ana', 'ben'], { width: 390, height: 844 });
  const before = await rows();
  const remove = async (name) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this interview?' });
    await dialog.getByText('It can be restored for a day.').waitFor();
    await dialog.getByRole('button', { name: 'Delete interview' }).click();
    await page.getByText(`“${name}” was deleted.`).waitFor();
  };
  await page.getByRole('link', { name: 'ana', exact: true }).click();
  await heading(page, 'ana').waitFor();
  await remove('ana');
  await page.getByText('Recently deleted (1)').waitFor();
  await page.reload();
  await page.getByText('Recently deleted (1)').waitFor();
  await remove('ben');
  await page.getByText('Recently deleted (2)').waitFor();
  assert.deepEqual(await rows(), []);

  await recently.press('Enter');
  const restore = (name) => page.getByRole('button', { name: `Restore ${name}` });
  await restore('ana').waitFor();
  assert.match(
    await page
      .getByRole('listitem')
      .filter({ has: restore('ana') })
      .innerText(),
    /Can be restored until .*\. Deleted .* by Keeper$/m,
  );
  await picture(page, 'recently-deleted');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 1);
  await restore('ben').press('Enter');
  await page.getByText('“ben” was restored.').waitFor();
  await gone(page.getByRole('button', { name: 'Undo' })); // what it would undo is undone
  await gone(restore('ben'));
  await page.getByRole('link', { name: 'ben', exact: true }).waitFor();
  await eventually(() => restore('ana').evaluate((element) => element === document.activeElement));
  await page.keyboard.press('Enter');
  await page.getByText('“ana” was restored.').waitFor();
  await gone(recently);
  await eventually(() =>
    heading(page, 'Interviews').evaluate((element) => element === document.activeElement),
  );
  assert.deepEqual(await rows(), before);
});

test('an interview is deleted for good, which is asked', async (t) => {
  const { page, one, project, rows, recently } = await listed(t, ['ana', 'ben']);
  const [{ id }] = await one.call(
    'GET',
    `/rest/v1/imports?project_id=eq.${project.id}&title=eq.ana&select=id`,
  );
  await one.call('DELETE', `/api/import/${id}?keep=true`); // in another window
  await recently.click();
  await page.getByRole('button', { name: 'Delete for good… ana' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete for good?' });
  await picture(page, 'delete-for-good');
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('“ana” was deleted for good.').waitFor();
  await gone(recently);
  assert.deepEqual(await rows(), ['ben: accepted']);
});
