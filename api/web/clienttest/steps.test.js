// The first steps of a new project.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, gone, person, picture, visit } from './harness.js';

const steps = (page) => page.getByRole('region', { name: 'First steps' });
const next = (page) => steps(page).locator('li[aria-current=step]');
const doneIn = (page) => steps(page).getByText('(done)').count();

test('the first steps are done by what exists, and are gone once all of it does', async (t) => {
  const page = await visit(t);
  const one = await person('Stepper');
  const project = await one.project();
  await enter(page, one, project.path);
  await next(page).getByText('Write down what you believe').waitFor();
  await picture(page, 'steps');
  const [h] = await one.call('POST', '/rest/v1/hypotheses', {
    project_id: project.id,
    statement: 'People wait for days.',
  });
  await page.reload();
  await next(page).getByRole('link', { name: 'Upload what people said' }).waitFor();

  const id = await one.upload(project, 'omar.txt', 'Dana: How long?\nOmar: We wait nine days.\n');
  await page.reload();
  await next(page).getByText('Judge what was found').waitFor();
  assert.equal(await doneIn(page), 2);
  await picture(page, 'steps-half');

  const [quote] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'We wait nine days.',
    review: 'accepted',
  });
  await page.reload();
  await next(page).getByText('Judge what was found').waitFor(); // it answers no hypothesis yet
  await one.call('POST', '/rest/v1/evidence_hypotheses', {
    evidence_id: quote.id,
    hypothesis_id: h.id,
    project_id: project.id,
    stance: 'supports',
  });
  await page.reload();
  await next(page).getByText('Decide').waitFor();

  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${h.id}`, {
    status: 'validated',
    decision_reason: 'Omar waits.',
  });
  await page.reload();
  await page.getByText('People wait for days.').first().waitFor();
  await gone(steps(page));
});

test('the first steps can be put away, and are found again', async (t) => {
  const page = await visit(t, { width: 390, height: 800 });
  const one = await person('Leaver');
  const project = await one.project('People wait for days.');
  await enter(page, one, project.path);
  await steps(page).waitFor();
  await picture(page, 'steps-narrow');
  await steps(page).getByRole('button', { name: 'Hide' }).click();
  await gone(steps(page));
  await page.reload();
  await page.getByRole('button', { name: 'First steps: 1 of 4 done' }).click();
  await next(page).getByText('Upload what people said').waitFor();
});
