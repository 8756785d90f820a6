// The parts of an interview arrive in any order.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, heading, person, quiet, spoken, visit, within } from './harness.js';

const QUOTES = 30;

// interviewed returns an interview with quotes for a hypothesis, each of a turn of its own.
async function interviewed(name) {
  const one = await person(name);
  const project = await one.project('Somebody sorts the statement.');
  const importId = await one.upload(project, 'arrives.txt', spoken(QUOTES * 20));
  const stored = [];
  for (let i = 0; i < QUOTES; i++)
    stored.push(
      ...(await one.call('POST', '/rest/v1/evidence', {
        project_id: project.id,
        import_id: importId,
        quote: `In week ${i} `,
      })),
    );
  await one.call(
    'POST',
    '/rest/v1/evidence_hypotheses',
    stored.map(({ id }) => ({
      project_id: project.id,
      evidence_id: id,
      hypothesis_id: project.hypotheses[0].id,
      stance: 'supports',
      strength: 'medium',
    })),
  );
  return { one, project, importId, stored };
}

// held holds the requests of a method to an address until they are released.
async function held(page, address, method) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    if (route.request().method() === method) await released;
    await route.fallback();
  });
  return release;
}

test('the card of a linked quote is shown, also if the transcript arrives last', async (t) => {
  const page = await visit(t);
  const { one, importId, stored } = await interviewed('Late');
  const release = await held(page, '**/rest/v1/utterances?*', 'GET');
  const evidence = page.waitForResponse('**/rest/v1/evidence?*');
  await enter(page, one, `/imports/${importId}?e=${stored.at(-1).id}`);
  await (await evidence).finished();
  await page.getByText('Loading the transcript').waitFor();
  release();
  const card = page.locator(`[data-evidence-card="${stored.at(-1).id}"]`);
  await card.waitFor();
  await within(card.locator('blockquote'), page.getByRole('complementary', { name: 'Evidence' }));
});

test('a judgement is saved while the evidence of an interview is loaded', async (t) => {
  const page = await visit(t);
  const { one, project, importId, stored } = await interviewed('Quick');
  await one.call('PATCH', `/rest/v1/evidence?import_id=eq.${importId}`, { review: 'suggested' });
  await enter(page, one, `${project.path}/evidence`);
  const card = page.locator(`[data-evidence-card="${stored[0].id}"]`);
  await card.waitFor();
  await quiet(page);
  const save = await held(page, '**/rest/v1/evidence?*', 'PATCH');
  const load = await held(page, '**/rest/v1/evidence?*', 'GET');
  await card.click();
  await page.keyboard.press('a');
  await card.getByRole('link', { name: 'Open the transcript at this quote' }).click();
  await heading(page, 'arrives').waitFor();
  save();
  await page.getByText('Quote accepted.', { exact: true }).waitFor();
  load();
  await page.locator(`[data-evidence-card="${stored[0].id}"].accepted`).waitFor();
  assert.equal(await page.getByText('not saved yet').count(), 0);
});
