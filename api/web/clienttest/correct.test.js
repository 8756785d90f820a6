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
    await eventually(async () => (await page.getByRole('button', { name: 'Undo' }).count()) === 1);
    const put = page.waitForResponse(
      (r) => r.request().method() === 'POST' && r.url().endsWith('/corrections'),
    );
    const undone = sent();
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.deepEqual((await undone).changes, [{ ordinal: 2, text: 'Nobody files them.' }]);
    await put;
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

test('the buttons of a turn cover none of its words', async (t) => {
  const one = await person('Clear');
  const project = await one.project('Receipts take long.');
  const words = 'Receipts take hours every week and nobody knows why they do. '.repeat(4).trim();
  const id = await one.upload(project, 'ana.txt', `Ana: ${words}\n\nAna: ${words}\n\nBen: Why?\n`);
  for (const [name, size] of Object.entries({
    wide: { width: 1280, height: 860 },
    narrow: { width: 390, height: 844 },
  })) {
    const page = await visit(t, { ...size, hasTouch: name === 'narrow', isMobile: name === 'narrow' });
    await enter(page, one, `/imports/${id}`);
    await page.locator('.turn').first().hover();
    await picture(page, `turn-buttons-${name}`);
    const covered = await page.evaluate(() =>
      [...document.querySelectorAll('.turn')].flatMap((turn) => {
        const range = document.createRange();
        range.selectNodeContents(turn.querySelector('.text'));
        return [...turn.querySelectorAll('.quote-turn, .correct-turn')].flatMap((button) => {
          const b = button.getBoundingClientRect();
          return [...range.getClientRects()]
            .filter((r) => r.right > b.left && r.left < b.right && r.bottom > b.top && r.top < b.bottom)
            .map(() => `${button.textContent.trim()}: ${turn.textContent.slice(0, 20)}`);
        });
      }),
    );
    assert.deepEqual(covered, [], name);
  }
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
  const undo = page.getByRole('button', { name: 'Undo' });
  const correct = async (speaker, words) => {
    await page
      .getByRole('button', { name: `Correct this turn by ${speaker}` })
      .last()
      .press('Enter');
    await page.getByRole('dialog').getByLabel('Words').fill(words);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await undo.waitFor();
  };
  await correct('Anna', 'She files them all.');
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
  const told =
    'Redacted: 2 places in the transcript, 1 name of a speaker, the title, 2 notes, earlier wordings';
  await page.getByText(told).waitFor();
  await heading(page, '[name]').waitFor();
  await page.getByText('I am [name], and receipts take hours.').waitFor();
  await page.getByText('Thank you, [name]. And Hannah?').waitFor();
  await eventually(async () => !/\bAnna\b/i.test(await page.locator('main').textContent()));
  const rows = await one.call('GET', `/rest/v1/imports?id=eq.${id}&select=title,filename`);
  assert.deepEqual(rows, [{ title: '[name]', filename: '[name].txt' }]);
  assert.equal(await undo.count(), 0, 'what was corrected before is not put back over it');

  await correct('[name]', 'She files them at once.');
  await page.getByRole('link', { name: 'Interviews' }).first().click();
  await heading(page, 'Interviews').waitFor();
  await gone(undo);
});
