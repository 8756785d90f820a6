// Corrections of transcripts, and names that are redacted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { enter, eventually, gone, heading, person, picture, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const checked = async (page) => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
    [],
  );
};
const turn = (page, words) => page.locator('.turn').filter({ hasText: words });

test('a turn is corrected, told, and put back', async (t) => {
  const page = await visit(t);
  const one = await person('Mender');
  const project = await one.project('Receipts take long.');
  const id = await one.upload(
    project,
    'ana.txt',
    'Ana: Reseats take hours every week.\nBen: Why do you think so?\nAna: Nobody files them.\n',
  );
  await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'Reseats take hours',
    review: 'accepted',
  });
  await enter(page, one, `/imports/${id}`);
  const quotes = async () =>
    (await one.call('GET', `/rest/v1/evidence?import_id=eq.${id}&select=quote,speaker,review,place_lost`))[0];

  await t.test('by the keyboard, with its quote', async () => {
    await page.getByRole('button', { name: 'Correct this turn by Ana' }).first().press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Correct this turn' });
    await dialog.getByLabel('Words').fill('Receipts take hours every week.');
    await dialog.getByLabel('Speaker').fill('Ben');
    await picture(page, 'correct-dialog');
    await page.keyboard.press('Enter');
    await gone(dialog);
    await page.getByText('Corrected. 1 quote changed with it.').waitFor();
    await turn(page, 'Receipts take hours every week.').getByText('corrected by Mender').click();
    await turn(page, 'Receipts take hours every week.').getByText('Reseats take hours every week.').waitFor();
    await picture(page, 'corrected');
    await checked(page);
    assert.deepEqual(await quotes(), {
      quote: 'Receipts take hours',
      speaker: 'Ben',
      review: 'accepted',
      place_lost: false,
    });
  });

  await t.test('and put back', async () => {
    await page.getByRole('button', { name: 'Put back what it was' }).click();
    await eventually(async () => (await quotes()).quote === 'Reseats take hours');
    await turn(page, 'Reseats take hours every week.').getByText('corrected by Mender').waitFor();
  });

  await t.test('without a word about who speaks, if only words changed', async () => {
    const sent = () =>
      page
        .waitForResponse((r) => r.request().method() === 'POST' && r.url().endsWith('/corrections'))
        .then((r) => r.request().postDataJSON());
    await page.getByRole('button', { name: 'Correct this turn by Ana' }).last().press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Correct this turn' });
    await dialog.getByLabel('Words').fill('Nobody ever files them.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await gone(dialog);
    const undone = sent();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    assert.deepEqual((await undone).changes, [{ ordinal: 2, text: 'Nobody files them.' }]);
    await turn(page, 'Nobody files them.').waitFor();
  });

  await t.test('not over somebody else’s correction', async () => {
    await page.getByRole('button', { name: 'Correct this turn by Ben' }).press('Enter');
    const { base } = await one.call('GET', `/api/import/${id}/corrections`);
    await one.call('POST', `/api/import/${id}/corrections`, {
      base,
      changes: [{ ordinal: 2, text: 'Nobody ever files them.' }],
    });
    const dialog = page.getByRole('dialog', { name: 'Correct this turn' });
    await dialog.getByLabel('Words').fill('Why?');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Somebody else has changed this transcript').waitFor();
    await page.keyboard.press('Escape');
    await gone(dialog);
  });
});

test('a name is redacted everywhere in an interview', async (t) => {
  const page = await visit(t);
  const one = await person('Redactor');
  const project = await one.project('Receipts take long.');
  const id = await one.upload(
    project,
    'Anna.txt',
    'Anna: I am Anna, and receipts take hours.\nBen: Thank you, ANNA. And Hannah?\nAnna: She files them.\n',
  );
  await enter(page, one, `/imports/${id}`);
  await page.getByRole('button', { name: 'Actions for Anna' }).click();
  await page.getByRole('menuitem', { name: 'Redact a name' }).click();
  const dialog = page.getByRole('dialog', { name: 'Redact everywhere in this interview' });
  await dialog.getByLabel('Name or words').fill('anna');
  await dialog.getByText('2 places in the transcript.').waitFor();
  await dialog.getByText('Speakers: Anna.').waitFor();
  await picture(page, 'redact');
  await checked(page);
  await dialog.getByRole('button', { name: 'Redact', exact: true }).click();
  await gone(dialog);
  await heading(page, '[name]').waitFor();
  await page.getByText('I am [name], and receipts take hours.').waitFor();
  await page.getByText('Thank you, [name]. And Hannah?').waitFor();
  await eventually(async () => !/\bAnna\b/i.test(await page.locator('main').textContent()));
  const rows = await one.call('GET', `/rest/v1/imports?id=eq.${id}&select=title,filename`);
  assert.deepEqual(rows, [{ title: '[name]', filename: '[name].txt' }]);
});
