// Who counts for a hypothesis, and what an answer rests on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { judged } from './judged.js';
import { base, enter, eventually, picture, quiet, visit } from './harness.js';

// of asks the data API for rows of the project.
const of = (one, project, table, more = '') =>
  one.call('GET', `/rest/v1/${table}?project_id=eq.${project.id}${more}`);
const persona = async (one, project, name) =>
  (await one.call('POST', '/rest/v1/personas', { project_id: project.id, name }), { Prefer: '' }) &&
  (await of(one, project, 'personas', `&name=eq.${name}`))[0].id;
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
  const { one, project } = await judged('About');
  const [h] = project.hypotheses;
  const people = await of(one, project, 'participants', '&order=name');
  assert.deepEqual(people.map(({ name }) => name).sort(), ['Ines Marchetti', 'Priya Nair']);
  const owners = await persona(one, project, 'Owners');
  const sellers = await persona(one, project, 'Sellers');
  await assign(one, project, 'Priya Nair', owners);
  await assign(one, project, 'Ines Marchetti', sellers);
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
  const speakers = await page.locator('.card .who').allTextContents();
  assert.ok(
    speakers.every((name) => name.includes('Priya')),
    `${speakers}`,
  );
  await picture(page, 'persona-filter');

  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${h.id}`, { persona_id: sellers });
  await page.goto(`${base}${project.path}/evidence?h=${h.id}`);
  await page.getByText('1 of another persona not counted').waitFor();
  assert.match(await headline(), /1 participant\b/);
  await picture(page, 'persona-about');
});
