// Deletions of quotes and of their links, and their undo.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, gone, heading, keepMessages, person, quiet, visit } from './harness.js';

// deleted opens a board with one quote, and deletes it, which can be undone. It returns the cards, the button
// that undoes it, and the text of the other board, which is empty.
async function deleted(t) {
  const page = await visit(t);
  await keepMessages(page);
  const one = await person('Deletes');
  const project = await one.project('Receipts take long.', 'Nobody else is asked.');
  const quote = { project_id: project.id, quote: 'They take the whole afternoon.' };
  const [{ id }] = await one.call('POST', '/rest/v1/evidence', quote);
  const [{ id: hypothesis }, { id: other }] = project.hypotheses;
  const link = { evidence_id: id, hypothesis_id: hypothesis, stance: 'supports' };
  await one.call('POST', '/rest/v1/evidence_hypotheses', link);
  await enter(page, one, `${project.path}/evidence`);
  const cards = page.getByRole('article');
  await cards.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await gone(cards);
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  return { page, other, cards, undo, empty: page.getByText('No evidence yet') };
}

test('Undo puts a quote back on its own board, not on the one that is shown', async (t) => {
  const { page, cards, undo, empty } = await deleted(t);
  await page.keyboard.press(']');
  await heading(page, 'Nobody else is asked.').waitFor();
  await empty.waitFor();
  await undo.click();
  await quiet(page);
  assert.equal(await cards.count(), 0);
  await empty.waitFor();
  await page.keyboard.press('[');
  await cards.getByText('They take the whole afternoon.').waitFor();
});

test('Undo puts a quote back once, if its board was loaded again', async (t) => {
  const { page, cards, undo, empty } = await deleted(t);
  await page.keyboard.press(']');
  await empty.waitFor();
  await page.keyboard.press('[');
  await cards.first().waitFor();
  await undo.click();
  await quiet(page);
  assert.equal(await cards.count(), 1);
});

test('Undo works while another board is loaded', async (t) => {
  const { page, other, undo, empty } = await deleted(t);
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(
    (url) => url.pathname === '/rest/v1/evidence_hypotheses' && url.search.includes(other),
    async (route) => {
      await released;
      await route.continue();
    },
  );
  await page.keyboard.press(']');
  await heading(page, 'Nobody else is asked.').waitFor();
  await page.getByRole('status').getByText('Loading').first().waitFor();
  await undo.click();
  await gone(undo);
  release();
  await empty.waitFor();
});

test('a quote that is unlinked from its hypothesis stays in its interview', async (t) => {
  const page = await visit(t);
  await keepMessages(page);
  const one = await person('Unlinks');
  const project = await one.project('Receipts take long.');
  const importId = await one.upload(
    project,
    'unlinks.txt',
    'Dana: So?\nSam: They take the whole afternoon.\n',
  );
  const [{ id }] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: importId,
    quote: 'They take the whole afternoon.',
  });
  await one.call('POST', '/rest/v1/evidence_hypotheses', {
    evidence_id: id,
    hypothesis_id: project.hypotheses[0].id,
    stance: 'supports',
  });
  await enter(page, one, `/imports/${importId}`);
  const card = page.locator(`[data-evidence-card="${id}"]`);
  await card.getByText('Receipts take long.').waitFor();
  await card.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink from hypothesis' }).click();
  await gone(card.getByText('Receipts take long.'));
  await card.getByText('They take the whole afternoon.').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await card.getByText('Receipts take long.').waitFor();
  assert.equal(await card.count(), 1);
});
