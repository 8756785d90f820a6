// Quotes whose speaker is not certain: what says so, how the speaker is confirmed, and what becomes of them
// when the file is read again. How certain turns are is scripted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { enter, eventually, gone, person, picture, quiet, visit } from './harness.js';
import { label, settledBy } from './scripted.js';

const words = 'Telephone: We moved in spring.\nNell: Why in spring?\nAda: The roads were dry.\n';

// changed has answers of the data API from a table with other values in their rows.
const changed = (page, table, values) =>
  page.route(`**/rest/v1/${table}?*`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    const url = new URL(route.request().url());
    url.searchParams.delete('or'); // what a search asks about its quotes
    const response = await route.fetch({ url: url.href });
    const rows = await response.json();
    const other = (row) => ({
      ...row,
      ...(row.evidence ? { evidence: { ...row.evidence, ...values } } : values),
    });
    await route.fulfill({ response, json: rows.map(other) });
  });

async function quoted(page, name) {
  const one = await person(name);
  const project = await one.project('Roads are dry in spring.');
  const id = await one.upload(project, 'spring.txt', words);
  const [quote] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'The roads were dry.',
    speaker: 'Ada',
  });
  await one.call('POST', '/rest/v1/evidence_hypotheses', {
    evidence_id: quote.id,
    hypothesis_id: project.hypotheses[0].id,
    project_id: project.id,
    stance: 'supports',
    strength: 'medium',
  });
  return { one, project, id, quote };
}

const card = (page) => page.getByRole('article').filter({ hasText: 'The roads were dry.' });
const confirm = (of) => of.getByRole('button', { name: /Confirm the speaker/ });

// patched returns the bodies of the changes of quotes that a page sends.
function patched(page) {
  const all = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH' && request.url().includes('/rest/v1/evidence?'))
      all.push(request.postDataJSON());
  });
  return all;
}

test('a card says that the speaker is not confirmed, and confirms it with one click', async (t) => {
  const page = await visit(t);
  const { one, project, id } = await quoted(page, 'Cards');
  const sent = patched(page);
  await changed(page, 'evidence*', { speaker_confirmed: false });
  await enter(page, one, `/imports/${id}`);
  for (const path of [`/imports/${id}`, `${project.path}/evidence`]) {
    await page.goto(new URL(path, page.url()).href);
    await card(page).getByText('speaker not confirmed').waitFor();
    await picture(page, `unconfirmed-${path.startsWith('/imports') ? 'interview' : 'board'}`);
    await confirm(card(page)).click();
    await gone(card(page).getByText('speaker not confirmed'));
    await gone(confirm(page));
  }
  assert.deepEqual(sent, [{ speaker_confirmed: true }, { speaker_confirmed: true }]);
});

test('review confirms the speaker with one key, and search says that it is not confirmed', async (t) => {
  const page = await visit(t);
  const { one, project } = await quoted(page, 'Reviews');
  const sent = patched(page);
  await changed(page, 'evidence*', { speaker_confirmed: false });
  await enter(page, one, `${project.path}/review`);
  await page.getByText('speaker not confirmed').waitFor();
  await page.keyboard.press('c');
  await gone(page.getByText('speaker not confirmed'));
  assert.deepEqual(sent, [{ speaker_confirmed: true }]);

  await page.keyboard.press('Control+k');
  await page.getByLabel('Search transcripts, quotes, hypotheses and interviews').fill('roads were dry');
  await page.getByText('Quote · speaker not confirmed').waitFor();
});

test('what is exported says that a speaker is not confirmed and a place is lost', async (t) => {
  const page = await visit(t);
  const { one, project } = await quoted(page, 'Exports');
  await changed(page, 'evidence*', { speaker_confirmed: false, place_lost: true, match: 'manual' });
  await enter(page, one, `${project.path}/evidence`);
  await card(page).getByText('no place in the transcript any more').waitFor();
  await gone(card(page).getByText('not located'));
  await page.getByRole('button', { name: 'Export' }).click();
  const save = async (format) => {
    await page.getByRole('radio', { name: format }).check();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ]);
    return readFileSync(await file.path(), 'utf8');
  };
  assert.match(await save(/^Markdown/), /no place in the transcript any more, speaker not confirmed/);
});

// scriptedReading has the file of an interview read with what is decided, and returns what was sent.
async function scriptedReading(page) {
  const sent = [];
  await page.route('**/api/import/*/reading*', async (route) => {
    const request = route.request();
    const decided = request.method() === 'PUT' ? request.postDataJSON() : {};
    const dry = request.url().endsWith('dry_run=true');
    if (request.method() === 'PUT') sent.push({ dry, decided });
    const labels = settledBy(decided, [
      label('Telephone', 'Telephone: We moved in spring.', { doubt: 0.7 }),
      label('Nell', 'Nell: Why in spring?'),
      label('Ada', 'Ada: The roads were dry.'),
    ]);
    const needsLook = labels[0].doubt > 0;
    await route.fulfill({
      json: {
        confidence: needsLook ? 0.6 : 1,
        needsLook,
        labels,
        unlabelled: null,
        doubts: [],
        edges: { head: ['Telephone: We moved in spring.'], tail: ['Ada: The roads were dry.'] },
        decided,
        remembered: [],
        utterances: 2,
        speakers: ['Nell', 'Ada'],
        evidence: { kept: 2, moved: 1, placeLost: 1 },
      },
    });
  });
  return sent;
}

test('an interview whose speakers are not certain is read again with the answers', async (t) => {
  const page = await visit(t);
  const { one, id } = await quoted(page, 'Again');
  const sent = await scriptedReading(page);
  await changed(page, 'imports', { needs_look: true });
  await enter(page, one, `/imports/${id}`);
  await page.getByText('Some speakers are not certain.').waitFor();
  await picture(page, 'unconfirmed-notice');
  await page.getByRole('button', { name: 'Who speaks?' }).click();
  const dialog = page.getByRole('dialog', { name: 'Speakers of spring' });
  const question = dialog.getByRole('radiogroup', { name: 'Telephone', exact: true });
  await eventually(() => question.evaluate((element) => element === document.activeElement));
  await page.keyboard.press('n');
  const quotes = '2 quotes kept, 1 moved, or of another speaker, 1 with no place in the transcript any more.';
  await dialog.getByText(`When it is saved: ${quotes}`).waitFor();
  await quiet(page);
  await picture(page, 'unconfirmed-dialog');
  await page.unroute('**/rest/v1/imports?*');
  for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
  await page.getByText(`The interview was read again: ${quotes}`).waitFor();
  await gone(dialog);
  await gone(page.getByText('Some speakers are not certain.'));
  const decided = { people: [], nobody: ['Telephone'], same: {} };
  assert.deepEqual(sent, [
    { dry: true, decided },
    { dry: false, decided },
  ]);
});

test('the menu of an interview asks who speaks, also where nothing is doubtful', async (t) => {
  const page = await visit(t);
  const { one, id } = await quoted(page, 'Menu');
  await scriptedReading(page);
  await enter(page, one, `/imports/${id}`);
  await page.getByRole('button', { name: 'Actions for spring' }).click();
  await page.getByRole('menuitem', { name: 'Who speaks?' }).click();
  await page
    .getByRole('dialog', { name: 'Speakers of spring' })
    .getByText('2 more labels are certain')
    .waitFor();
});

test('words of a turn that is not certain say so before they are added', async (t) => {
  const page = await visit(t);
  const { one, id } = await quoted(page, 'Words');
  await changed(page, 'utterances', { confidence: 0.5 });
  await enter(page, one, `/imports/${id}`);
  await page.getByRole('button', { name: 'Quote this turn by Nell' }).focus();
  await page.keyboard.press('Enter');
  const popover = page.getByRole('dialog', { name: 'Add as evidence' });
  await popover.getByText('speaker not confirmed').waitFor();
});

test('a file without speakers says how to name who says a turn', async (t) => {
  const page = await visit(t);
  const { one, id } = await quoted(page, 'Nobody');
  await page.route('**/api/import/*/reading*', (route) =>
    route.fulfill({
      json: {
        confidence: 1,
        needsLook: false,
        labels: [],
        unlabelled: null,
        doubts: [],
        edges: { head: ['We moved in spring.'], tail: ['The roads were dry.'] },
        decided: {},
        remembered: [],
      },
    }),
  );
  await enter(page, one, `/imports/${id}`);
  await page.getByRole('button', { name: 'Actions for spring' }).click();
  await page.getByRole('menuitem', { name: 'Who speaks?' }).click();
  const dialog = page.getByRole('dialog', { name: 'Speakers of spring' });
  await dialog.getByText('No speakers were found in this file.').waitFor();
  await quiet(page);
  await picture(page, 'unconfirmed-nobody');
});
