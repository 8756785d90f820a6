// What an analysis discarded, with the reasons.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, gone, picture, quiet, visit } from './harness.js';
import { judged } from './judged.js';

test('the quotes that an analysis discarded are listed with their reasons', async (t) => {
  const page = await visit(t);
  const { one, project, ids } = await judged('Discards');
  await page.route('**/rest/v1/imports?*', async (route) => {
    const response = await route.fetch();
    const rows = await response.json();
    await route.fulfill({ response, json: rows.map((row) => ({ ...row, rejected_count: 3 })) });
  });
  await page.route(`**/api/import/${ids[0]}/runs`, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    assert.deepEqual(body.runs[0].discarded, []);
    body.runs[0].discarded = [
      {
        reason: 'not_found',
        hypothesisId: project.hypotheses[0].id,
        quote: 'I love receipts.',
        utterance: 2,
      },
      { reason: 'meaning_differs', quote: 'It takes 15 minutes.', utterance: 4 },
    ];
    await route.fulfill({ response, json: body });
  });
  await enter(page, one, `/imports/${ids[0]}`);
  await page.getByText('3 AI quotes discarded').waitFor();
  await page.getByRole('button', { name: 'look', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('I love receipts.').waitFor();
  await dialog.getByText('The transcript does not say this.').waitFor();
  await dialog.getByText(/a negation, a number/).waitFor();
  await dialog.getByText('1 more not kept').waitFor();
  await quiet(page);
  await picture(page, 'discarded');
  await dialog.getByRole('link', { name: 'Look near turn 5' }).click();
  await gone(dialog);
  await eventually(() => page.url().endsWith(`/imports/${ids[0]}?u=4`));
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
