// Hypotheses that come from quotes: written beside selected words, and in a search.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, gone, person, picture, visit } from './harness.js';

const talk = 'Dana: How do you plan?\nOmar: My brother made a spreadsheet.\nOmar: Tips are a daily fight.\n';

async function opened(t, statements = ['Planning takes hours.'], options = {}) {
  const page = await visit(t, options);
  const one = await person('Idea');
  const project = await one.project(...statements);
  const id = await one.upload(project, 'omar.txt', talk);
  await enter(page, one, `/imports/${id}`);
  await page.getByText('Tips are a daily fight').waitFor();
  return { page, one, project };
}

const evidenceOf = (one, project) =>
  one.call(
    'GET',
    `/rest/v1/evidence?project_id=eq.${project.id}` +
      '&select=quote,match,review,evidence_hypotheses(stance,hypotheses(statement,status))',
  );

const popover = (page) => page.getByRole('dialog', { name: 'Add as evidence' });

// quoteTurn chooses the last turn by its button.
const quoteTurn = (page) => page.getByRole('button', { name: 'Quote this turn by Omar' }).last().click();

test('a hypothesis that nobody had is written beside the words, with one Enter', async (t) => {
  const { page, one, project } = await opened(t);
  await quoteTurn(page);
  const field = popover(page).getByLabel('Write another hypothesis');
  await field.fill('Tips are why people leave.');
  await popover(page).getByText('No hypothesis matches.').waitFor();
  await picture(page, 'idea');
  await field.press('Enter');
  await gone(popover(page));
  await page.locator('mark.selected').waitFor();
  assert.deepEqual(await evidenceOf(one, project), [
    {
      quote: 'Tips are a daily fight.',
      match: 'verbatim',
      review: 'accepted',
      evidence_hypotheses: [
        { stance: 'supports', hypotheses: { statement: 'Tips are why people leave.', status: 'untested' } },
      ],
    },
  ]);

  // The next words can be evidence for it at once, and it cannot be written twice.
  await page.getByRole('button', { name: 'Quote this turn by Omar' }).first().click();
  await popover(page).getByText('Tips are why people leave.').waitFor();
  await field.fill('tips are why  people leave');
  assert.equal(
    await popover(page)
      .getByRole('button', { name: /Create/ })
      .count(),
    0,
  );
});

test('a text that some hypotheses contain filters them, and Enter adds none', async (t) => {
  const statements = Array.from({ length: 9 }, (_, i) => `Belief ${i} is about tips.`);
  const { page, one, project } = await opened(t, statements);
  await quoteTurn(page);
  const field = popover(page).getByLabel('Find or write a hypothesis');
  await field.fill('belief 7');
  await eventually(async () => (await popover(page).getByRole('group').count()) === 1);
  await field.press('Enter');
  assert.equal((await one.call('GET', `/rest/v1/hypotheses?project_id=eq.${project.id}`)).length, 9);
  await popover(page)
    .getByRole('button', { name: /Create “belief 7”/ })
    .click();
  await gone(popover(page));
  const [{ evidence_hypotheses: links }] = await evidenceOf(one, project);
  assert.equal(links[0].hypotheses.statement, 'belief 7');
});

test('a project without hypotheses gets its first one from a quote', async (t) => {
  const { page, one, project } = await opened(t, [], { width: 390, height: 800 });
  await quoteTurn(page);
  await popover(page).getByLabel('Write a hypothesis').fill('Brothers plan.');
  await picture(page, 'idea-narrow');
  await popover(page)
    .getByRole('button', { name: /Create “Brothers plan.”/ })
    .click();
  await gone(popover(page));
  assert.equal((await evidenceOf(one, project)).length, 1);
});

test('places of a search become evidence for a new hypothesis', async (t) => {
  const { page, one, project } = await opened(t);
  const dialog = page.getByRole('dialog');
  await page.keyboard.press('Control+k');
  await dialog.getByRole('searchbox').or(dialog.getByRole('combobox')).first().fill('tips');
  const hit = dialog.locator('[data-hit]').filter({ hasText: 'daily fight' });
  await hit.focus();
  await page.keyboard.press('Space');
  await dialog.getByRole('button', { name: 'Add as evidence' }).click();
  await dialog.getByLabel('Hypothesis', { exact: true }).selectOption('A new one…');
  await dialog.getByLabel('New hypothesis').fill('Tips divide teams.');
  await dialog.getByRole('radio', { name: 'Supports' }).check();
  await dialog.getByLabel('New hypothesis').press('Enter');
  await page.getByText('1 quote added as evidence, word for word from the transcripts.').waitFor();
  const [{ evidence_hypotheses: links }] = await evidenceOf(one, project);
  assert.deepEqual(links, [
    { stance: 'supports', hypotheses: { statement: 'Tips divide teams.', status: 'untested' } },
  ]);
});
