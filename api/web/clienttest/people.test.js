// Who counts for a hypothesis, and what an answer rests on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { judged } from './judged.js';
import { base, enter, eventually, person, picture, quiet, visit } from './harness.js';

// of asks the data API for rows of the project.
const of = (one, project, table, more = '') =>
  one.call('GET', `/rest/v1/${table}?project_id=eq.${project.id}${more}`);
async function persona(one, project, name) {
  await one.call('POST', '/rest/v1/personas', { project_id: project.id, name });
  return (await of(one, project, 'personas', `&name=eq.${name}`))[0].id;
}
const assign = (one, project, name, id) =>
  one.call('PATCH', `/rest/v1/participants?project_id=eq.${project.id}&name=eq.${name}`, { persona_id: id });

test('an answer says how many of its quotes were reviewed, wherever it is shown', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Rests');
  const [h] = project.hypotheses;
  const links = await of(one, project, 'evidence_hypotheses', `&hypothesis_id=eq.${h.id}`);
  const n = links.length;
  assert.ok(n > 1);
  await enter(page, one, `${project.path}/evidence?h=${h.id}`);
  await page.getByText(`None of ${n} quotes was reviewed: the answer rests on suggestions only.`).waitFor();
  await picture(page, 'rests-board');
  await one.call('PATCH', `/rest/v1/evidence?id=eq.${links[0].evidence_id}`, { review: 'accepted' });
  const partly = `1 of ${n} quotes were reviewed: the answer rests partly on suggestions.`;

  const link = await one.call('POST', '/api/findings/shares', { hypothesisId: h.id });
  const guest = await visit(t, { width: 390, height: 844 });
  await guest.goto(base + new URL(link.url).pathname + new URL(link.url).hash);
  await guest.getByText(partly).first().waitFor();
  assert.equal(await guest.getByText(partly).count(), 2, 'beside the answer, and in what it rests on');
  await picture(guest, 'rests-shared');

  await page.goto(`${base}${project.path}/findings?h=${h.id}`);
  await page.getByText(partly).first().waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('combobox', { name: 'Save as' }).selectOption('Markdown');
  assert.ok(readFileSync(await (await download).path(), 'utf8').includes(partly.replaceAll('.', '')));

  await page.goto(`${base}${project.path}/evidence?h=${h.id}`);
  await page.getByText(partly).waitFor();
  await page.getByLabel('Verdict').selectOption('invalidated');
  const dialog = page.getByRole('dialog', { name: 'Verdict: invalidated' });
  await dialog.getByText(`${n - 1} of ${n} quotes ${n === 2 ? 'was' : 'were'} not reviewed.`).waitFor();
  await picture(page, 'rests-verdict');
  await dialog.getByRole('link', { name: 'Review them' }).click();
  await eventually(() => page.url().includes(`/review?h=${h.id}`));
  await quiet(page);
  assert.equal((await of(one, project, 'hypotheses', `&id=eq.${h.id}`))[0].status, 'untested');

  for (const { evidence_id: id } of links)
    await one.call('PATCH', `/rest/v1/evidence?id=eq.${id}`, { review: 'accepted' });
  await page.goto(`${base}${project.path}/evidence?h=${h.id}`);
  await page.getByText(`All ${n} quotes were reviewed.`).waitFor();
  await page.getByLabel('Verdict').selectOption('validated');
  const sure = page.getByRole('dialog', { name: 'Verdict: validated' });
  await sure.getByRole('button', { name: 'Save verdict' }).click();
  await eventually(
    async () => (await of(one, project, 'hypotheses', `&id=eq.${h.id}`))[0].status === 'validated',
  );
  await quiet(page);
});

test('only the people whom a hypothesis is about count, and the filter changes the answer', async (t) => {
  const page = await visit(t);
  const { one, project, ids } = await judged('About');
  const [h] = project.hypotheses;
  for (const id of ids)
    await one.call('POST', '/rest/v1/rpc/set_interviewers', { import: id, speakers: ['Lena Fischer'] });
  const owners = await persona(one, project, 'Owners');
  const sellers = await persona(one, project, 'Sellers');
  await assign(one, project, 'Priya Nair', owners);
  await assign(one, project, 'Ines Carvalho', sellers);
  const headline = () => page.locator('.conclusion .headline').innerText();

  await enter(page, one, `${project.path}/evidence?h=${h.id}`);
  await page
    .locator('.conclusion .headline')
    .getByText(/2 participants/)
    .waitFor();
  await page.getByLabel('Persona').selectOption('Owners');
  await page
    .locator('.conclusion .headline')
    .getByText(/1 participant\b/)
    .waitFor();
  await page.getByText('only those of the filter').waitFor();
  assert.equal(await page.locator('.conclusion .faces li').count(), 1);
  const speakers = await page.getByRole('article').allInnerTexts();
  assert.ok(speakers.length > 0 && speakers.every((text) => text.includes('Priya')), `${speakers}`);
  await picture(page, 'persona-filter');

  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${h.id}`, { persona_id: sellers });
  await page.goto(`${base}${project.path}/evidence?h=${h.id}`);
  await page.getByText('1 of another persona not counted').waitFor();
  assert.match(await headline(), /1 participant\b/);
  await picture(page, 'persona-about');

  await page.goto(base + project.path);
  await page.locator('.grid table').getByText('not about this person').waitFor({ state: 'attached' });
  await page.setViewportSize({ width: 1920, height: 1080 });
  const left = async (selector) => (await page.locator(selector).boundingBox()).x;
  assert.equal(await left('.page > .grid'), await left('ul.hypotheses'), 'one edge');
  await picture(page, 'hypotheses-1920');

  // The persona of an interview is not that of everybody in it.
  for (const id of ids) await one.call('PATCH', `/rest/v1/imports?id=eq.${id}`, { persona_id: sellers });
  await page.goto(`${base}${project.path}/review?persona=${owners}`);
  await page.locator('.turn-row.inside').getByText('Priya Nair').first().waitFor();
  await page.getByText(/quotes? left, \d+ outside these limits/).waitFor();
});

test('the speakers of an interview have personas and attributes, and are asked about', async (t) => {
  const page = await visit(t);
  const { one, project, ids } = await judged('Speaks');
  const owners = await persona(one, project, 'Owners');
  const voices = async () =>
    (
      await of(
        one,
        project,
        'import_speakers',
        `&import_id=eq.${ids[1]}&select=*,participants(*)&order=speaker`,
      )
    ).map((s) => [s.speaker, s.participants.id, s.participants.persona_id, s.participants.attributes]);
  const before = await voices();
  const [, theirs] = (
    await of(one, project, 'import_speakers', `&import_id=eq.${ids[0]}&select=*&order=speaker`)
  ).map((s) => s.participant_id);
  const open = async () => {
    await page.getByRole('button', { name: 'Actions for ines' }).click();
    await page.getByRole('menuitem', { name: 'Speakers' }).click();
    return page.getByRole('dialog', { name: 'Speakers' });
  };
  await enter(page, one, `/imports/${ids[1]}`);
  let dialog = await open();
  const ines = dialog.getByRole('group', { name: 'Ines Carvalho' });
  const lena = dialog.getByRole('group', { name: 'Lena Fischer' });
  assert.equal(await lena.getByLabel(/Lena Fischer is also in/).inputValue(), 'other', 'not merged silently');
  assert.equal(await ines.getByLabel(/is also in/).count(), 0);
  await ines.getByText('Persona and attributes').click();
  await ines.getByLabel('Persona').selectOption('Owners');
  await ines.getByLabel('Attributes').fill('role = owner\nsites: 3');
  await picture(page, 'speakers');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Speakers saved.').waitFor();
  assert.deepEqual((await voices())[0].slice(2), [owners, { role: 'owner', sites: '3' }]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => JSON.stringify(await voices()) === JSON.stringify(before));
  await quiet(page);

  dialog = await open();
  await dialog.getByLabel(/Lena Fischer is also in/).selectOption('The same person');
  await dialog.getByRole('textbox', { name: 'Ines Carvalho' }).fill('Priya Nair');
  await dialog.getByLabel(/Priya Nair is also in/).selectOption('Somebody else');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => (await voices())[1][1] !== before[1][1]);
  const [[, other], [, same]] = await voices();
  const all = await of(one, project, 'participants', '&select=id,name');
  assert.deepEqual(
    [other, same].map((id) => all.find((p) => p.id === id).name),
    ['Priya Nair', 'Lena Fischer'],
  );
  assert.equal(all.filter(({ name }) => name === 'Priya Nair').length, 2);
  assert.ok(theirs);
  await quiet(page);
});

test('an upload asks about a name that another interview has', async (t) => {
  const page = await visit(t);
  const one = await person('Namesakes');
  const project = await one.project();
  await one.upload(project, 'first.txt', 'Interviewer: Well?\nAnna: We close in May.\n');
  await enter(page, one, `${project.path}/interviews`);
  for (const [file, answer] of [
    ['second.txt', 'Somebody else'],
    ['third.txt', 'The same as in “first”'],
  ]) {
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: file,
        mimeType: 'text/plain',
        buffer: Buffer.from(`Interviewer: And?\nAnna: Nothing new in ${file}.\n`),
      });
    const dialog = page.getByRole('dialog');
    const choice = dialog.getByLabel('Anna: the same person?');
    await choice.waitFor();
    if (answer === 'Somebody else') {
      await dialog.getByText('Anna is also in “first”.').waitFor();
      assert.equal(await choice.inputValue(), '');
      await picture(page, 'namesakes');
    } else await choice.selectOption(answer);
    await dialog.getByRole('button', { name: /^Import/ }).click();
    await page.getByRole('link', { name: file.split('.')[0], exact: true }).waitFor();
    await quiet(page);
    if (await page.getByRole('dialog').count()) await page.keyboard.press('Escape');
  }
  const rows = await of(
    one,
    project,
    'import_speakers',
    '&speaker=eq.Anna&select=participant_id,imports(title)',
  );
  const [first, second, third] = ['first', 'second', 'third'].map(
    (title) => rows.find((r) => r.imports.title === title).participant_id,
  );
  assert.equal(first, third);
  assert.notEqual(first, second);
  assert.equal((await of(one, project, 'participants', '&name=eq.Anna')).length, 2, 'none is left over');
});

test('faces of people whose names begin alike differ', async (t) => {
  const page = await visit(t);
  const one = await person('Alike');
  const project = await one.project('Receipts take long.');
  const quote = 'Receipts take hours.';
  const who = { 'Talk in May': 'Anna Berger', 'Talk in June': 'Anna Schmidt', 'Visit 1': 'Speaker' };
  for (const [title, name] of Object.entries({
    ...who,
    'Visit 2': 'Speaker',
    'Talk in July': 'Zoe Winter',
  })) {
    const id = await one.upload(project, `${title}.txt`, `${name}: ${quote}\nKim: Why?\n`);
    await one.call('PATCH', `/rest/v1/imports?id=eq.${id}`, { title });
    await one.call('POST', '/rest/v1/rpc/set_interviewers', { import: id, speakers: ['Kim'] });
  }
  await one.call('PATCH', `/rest/v1/import_speakers?project_id=eq.${project.id}&speaker=eq.Speaker`, {
    participant_id: null,
  });
  await enter(page, one, `${project.path}/evidence`);
  const faces = page.locator('.faces button');
  await eventually(async () => (await faces.count()) === 5);
  const shown = (await faces.allInnerTexts()).map((text) => text.split(/\s+/).filter(Boolean).join(' '));
  for (const name of ['Anna Berger', 'Anna Schmidt', 'Speaker 1', 'Speaker 2', 'Zoe'])
    assert.equal(shown.filter((text) => text.endsWith(name)).length, 1, `${name}: ${shown}`);
  await page.locator('.faces').getByLabel('Speaker, Visit 2: ').waitFor();
  await picture(page, 'faces-alike');
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});
