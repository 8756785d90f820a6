// Projects that are exchanged with other programs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { drop, enter, eventually, person, picture, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function serious(page) {
  await page.evaluate(axe);
  return page.evaluate(async () =>
    (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id }) => id),
  );
}

test('a project is exported, and imported into another one', async (t) => {
  const page = await visit(t);
  const one = await person('Exchanger');
  const project = await one.project('Receipts take long.');
  const id = await one.upload(project, 'ana.txt', 'Kim: Why?\nAna: Receipts take hours 😩.\n');
  const [quote] = await one.call('POST', '/rest/v1/evidence?select=id', {
    project_id: project.id,
    import_id: id,
    quote: 'Receipts take hours 😩',
    review: 'accepted',
  });
  const [theme] = await one.call('POST', '/rest/v1/themes?select=id', {
    project_id: project.id,
    name: 'Time',
  });
  await one.call('POST', '/rest/v1/evidence_themes', { evidence_id: quote.id, theme_id: theme.id });
  const other = await one.project('Something else.');

  await enter(page, one, `${project.path}/interviews`);
  await page.getByRole('button', { name: 'Exchange with NVivo, MAXQDA, ATLAS.ti…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Exchange with other programs' });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Project (.qdpx)' }).click(),
  ]);
  assert.match(download.suggestedFilename(), /\.qdpx$/);
  await picture(page, 'exchange-export');
  assert.deepEqual(await serious(page), []);
  const file = {
    name: 'study.qdpx',
    mimeType: 'application/zip',
    buffer: readFileSync(await download.path()),
  };
  const choose = () => page.getByLabel('Transcripts', { exact: true }).setInputFiles(file);

  await page.goto(new URL(`${other.path}/interviews`, page.url()).href);
  await page.getByRole('button', { name: 'choose files' }).waitFor();
  await choose();
  await dialog.getByText('New: 1 interview, 1 theme, 1 hypothesis and 1 quote.').waitFor();
  await dialog.getByText('Does not come').waitFor();
  assert.deepEqual(await serious(page), []);
  await picture(page, 'exchange-import');
  const rows = () => one.call('GET', `/rest/v1/evidence?project_id=eq.${other.id}&select=quote,themes(name)`);
  assert.deepEqual(await rows(), [], 'nothing is stored yet');
  await dialog.getByRole('button', { name: 'Import 1 interview, 1 theme, 1 hypothesis and 1 quote' }).click();
  await page.getByText('1 interview, 1 theme, 1 hypothesis and 1 quote imported.').waitFor();
  await page.getByRole('link', { name: 'ana', exact: true }).waitFor();
  assert.deepEqual(await rows(), [{ quote: 'Receipts take hours 😩', themes: [{ name: 'Time' }] }]);

  await choose();
  await dialog.getByText('Nothing in this file is new.').waitFor();
  assert.equal(await dialog.getByRole('button', { name: /^Import / }).count(), 0);
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  const [{ id: theme2 }] = await one.call('GET', `/rest/v1/themes?project_id=eq.${other.id}&select=id`);
  await one.call('DELETE', `/rest/v1/evidence_themes?theme_id=eq.${theme2}`);
  await choose();
  await dialog.getByText('New: 1 coding of a quote.').waitFor();
  await dialog.getByRole('button', { name: 'Import 1 coding of a quote' }).click();
  await page.getByText('1 coding of a quote imported.').waitFor();
  assert.deepEqual(await rows(), [{ quote: 'Receipts take hours 😩', themes: [{ name: 'Time' }] }]);
});

test('a file that is no project says so', async (t) => {
  const page = await visit(t, { width: 390, height: 844 });
  const one = await person('Exchanger');
  const project = await one.project('Receipts take long.');
  await enter(page, one, `${project.path}/interviews`);
  await page.getByRole('button', { name: 'choose files' }).waitFor();
  await drop(page, [['codes.qdc', '<html></html>']]);
  const dialog = page.getByRole('dialog', { name: 'Exchange with other programs' });
  await dialog.getByRole('alert').getByText('This file cannot be read as a project or codebook').waitFor();
  await picture(page, 'exchange-wrong-narrow');
  await eventually(async () => (await serious(page)).length === 0);
});
