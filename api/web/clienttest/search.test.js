// Search in a project, by keyboard, and its hits as evidence.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { enter, eventually, gone, heading, person, picture, quiet, visit, within } from './harness.js';
import { judged, reviews } from './judged.js';

const ola =
  'Lena: What happened when you rolled it out?\n' +
  'Ola: Everybody connected their mailbox within a week. In Zürich nobody did.\n' +
  'Lena: Why?\n' +
  'Ola: The works council wrote two pages about the mailbox.\n';
const maya =
  'Lena: Who pays for the café?\n' +
  'Maya: I do. A mailbox would not help me. ' +
  'We talk about other things for a long while here. '.repeat(10) +
  'Then the mailbox comes up again.\n';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function searched(t, options) {
  const page = await visit(t, options);
  const one = await person('Searches');
  const project = await one.project('People connect a mailbox.', 'Nobody pays for receipts.');
  const ids = [await one.upload(project, 'ola.txt', ola), await one.upload(project, 'maya.txt', maya)];
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  return { page, one, project, ids };
}

const dialog = (page) => page.getByRole('dialog');
const box = (page) => page.getByLabel('Search transcripts, quotes, hypotheses and interviews');

test('words are found with the keyboard, and opened at their place', async (t) => {
  const { page, ids } = await searched(t);
  await page.keyboard.press('Control+k');
  await box(page).fill('zurich nob');
  await dialog(page).getByText('1 place in 1 interview.').waitFor();
  assert.equal((await dialog(page).locator('mark.hit').allTextContents()).join(), 'Zürich,nob');
  await page.keyboard.press('ArrowDown');
  await eventually(() => page.evaluate(() => document.activeElement.matches('[data-hit]')));
  await page.keyboard.press('ArrowUp');
  await eventually(() => box(page).evaluate((input) => input === document.activeElement));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/imports/${ids[0]}\\?u=1&q=zurich\\+nob$`));
  const marks = page.locator('.turn.placed mark.find');
  await marks.first().waitFor();
  assert.deepEqual(await marks.allTextContents(), ['Zürich', 'nob']);
  await within(marks.first(), page.locator('.scroller'));

  // The search is there again with its hits, also in the transcript, and leads to another place of it.
  await page.getByRole('button', { name: 'Search', exact: true }).first().click();
  await box(page).fill('works council');
  await dialog(page).locator('section [data-hit]').getByText('works council').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.turn.placed').getByText('two pages about').waitFor();
  await page.keyboard.press('Meta+k');
  await dialog(page).waitFor();
  await page.keyboard.press('Escape');
  await gone(dialog(page));
});

test('the keys open the search as soon as its button is drawn', async (t) => {
  const page = await visit(t);
  const one = await person('Quick');
  const project = await one.project();
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.find-button')) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }));
    }).observe(document, { childList: true, subtree: true });
  });
  await enter(page, one, project.path);
  await box(page).waitFor();
});

test('what is typed while the search opens is searched, and triggers no shortcut of the board', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Types');
  let release;
  const asked = new Promise((resolve) => (release = resolve));
  await page.route('**/views/search/search.js', async (route) => {
    await asked;
    await route.continue();
  });
  await enter(page, one, `${project.path}/evidence`);
  await page.getByRole('article').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('rec');
  release();
  await box(page).waitFor();
  await page.keyboard.type('eipts');
  await dialog(page).locator('mark.hit').first().waitFor();
  assert.equal(await box(page).inputValue(), 'receipts');
  assert.deepEqual([...new Set(Object.values(await reviews(one, project)))], ['suggested']);
});

test('titles, speakers and hypotheses are found, also with another letter', async (t) => {
  const { page, project } = await searched(t);
  await page.keyboard.press('Control+k');
  await box(page).fill('receipts');
  await dialog(page).getByRole('link', { name: 'Hypothesis Nobody pays for receipts.' }).waitFor();
  await box(page).fill('mayo');
  await dialog(page)
    .getByRole('link', { name: /^Speaker Maya/ })
    .waitFor();
  await box(page).fill('nothing like this');
  await dialog(page).getByText('Nothing found.').waitFor();
  await box(page).fill('receipts');
  await dialog(page).getByRole('link', { name: 'Hypothesis Nobody pays for receipts.' }).click();
  await page.waitForURL(new RegExp(`${project.path}/evidence\\?h=${project.hypotheses[1].id}`));
});

test('several hits become evidence in one go, word for word', async (t) => {
  const { page, one, project, ids } = await searched(t);
  await page.keyboard.press('Control+k');
  await box(page).fill('mailbox');
  await dialog(page).getByText('4 places in 2 interviews.').waitFor();
  await picture(page, 'search');
  for (const text of ['within a week', 'would not help']) {
    await dialog(page).locator('section [data-hit]').filter({ hasText: text }).focus();
    await page.keyboard.press('Space');
  }
  await dialog(page).getByText('2 places selected').waitFor();
  await dialog(page).getByRole('button', { name: 'Add as evidence' }).click();
  await dialog(page).getByLabel('Hypothesis').selectOption('People connect a mailbox.');
  await dialog(page).getByRole('radio', { name: 'Contradicts' }).check();
  await picture(page, 'search-collect');
  await dialog(page).getByRole('button', { name: 'Add evidence' }).click();
  await page.getByText('2 quotes added as evidence, word for word from the transcripts.').waitFor();
  const stored = await one.call(
    'GET',
    `/rest/v1/evidence?project_id=eq.${project.id}&select=import_id,quote,match,speaker,review,` +
      'evidence_hypotheses(hypothesis_id,stance)&order=speaker.desc',
  );
  assert.deepEqual(
    stored.map((e) => [e.import_id, e.speaker, e.match, e.review]),
    [
      [ids[0], 'Ola', 'verbatim', 'accepted'],
      [ids[1], 'Maya', 'verbatim', 'accepted'],
    ],
  );
  assert.equal(stored[0].quote, 'Everybody connected their mailbox within a week. In Zürich nobody did.');
  for (const { evidence_hypotheses: links } of stored)
    assert.deepEqual(links, [{ hypothesis_id: project.hypotheses[0].id, stance: 'contradicts' }]);

  // They are hits now, and can be linked to another hypothesis; what is linked already keeps its stance.
  await box(page).fill('within a week mailbox');
  const quotes = dialog(page).locator('li.quote');
  await quotes.first().waitFor();
  // The turn is not a second hit.
  await dialog(page).getByText('1 place in 1 interview.').waitFor();
  assert.equal(await dialog(page).locator('section [data-hit]').count(), 1);
  await quotes.first().getByRole('checkbox').check();
  await dialog(page).getByRole('button', { name: 'Add as evidence' }).click();
  await dialog(page).getByLabel('Hypothesis').selectOption('Nobody pays for receipts.');
  await dialog(page).getByRole('radio', { name: 'Supports' }).check();
  await dialog(page).getByRole('button', { name: 'Add evidence' }).click();
  await eventually(
    async () =>
      (await one.call('GET', `/rest/v1/evidence_hypotheses?project_id=eq.${project.id}`)).length === 3,
  );
});

test('all hits in an interview do not replace what was searched in the meantime', async (t) => {
  const page = await visit(t);
  const one = await person('Hurries');
  const project = await one.project();
  await one.upload(project, 'many.txt', 'Ola: The mailbox is full.\nLena: Of receipts?\n'.repeat(7));
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  await page.keyboard.press('Control+k');
  await box(page).fill('mailbox');
  const hits = dialog(page).locator('section [data-hit]');
  const all = dialog(page).getByRole('button', { name: 'Show all 7 turns' });
  await all.click();
  await eventually(async () => (await hits.count()) === 7);

  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route('**/rest/v1/rpc/search_project', async (route) => {
    if (route.request().postDataJSON().import) await released;
    await route.continue();
  });
  await box(page).fill('full');
  await dialog(page).locator('mark.hit').getByText('full').first().waitFor();
  await all.click();
  await box(page).fill('receipts');
  await dialog(page).locator('mark.hit').getByText('receipts').first().waitFor();
  release();
  await quiet(page);
  assert.equal(await dialog(page).locator('mark.hit').first().textContent(), 'receipts');
});

test('on a phone, the search fits and is opened by a button', async (t) => {
  const { page } = await searched(t, { width: 390, height: 844 });
  await page.getByRole('button', { name: 'Search', exact: true }).first().click();
  await box(page).fill('mailbox');
  await dialog(page).getByText('4 places in 2 interviews.').waitFor();
  await quiet(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, 'search-narrow');
});

test('viewers search and cannot select', async (t) => {
  const { one, project } = await searched(t);
  const viewer = await person('Looks');
  await one.call('POST', '/rest/v1/workspace_invitations', {
    workspace_id: project.workspace.id,
    email: viewer.email,
    role: 'viewer',
  });
  const [invitation] = await viewer.call('POST', '/rest/v1/rpc/my_invitations', {});
  await viewer.call('POST', '/rest/v1/rpc/accept_invitation', { invitation: invitation.id });
  const page = await visit(t);
  await enter(page, viewer, project.path);
  await heading(page, 'Hypotheses').waitFor();
  await page.keyboard.press('Control+k');
  await box(page).fill('mailbox');
  await dialog(page).getByText('4 places in 2 interviews.').waitFor();
  assert.equal(await dialog(page).getByRole('checkbox').count(), 0);
});

// limited is a project of two personas, whose people say "tips" in several forms. Lena asks.
async function limited(t, options) {
  const page = await visit(t, options);
  const one = await person('Limits');
  const project = await one.project('Tips are unfair.');
  const ids = [
    await one.upload(
      project,
      'owner.txt',
      'Lena: And who keeps the tips in your café, if I may ask that?\n' +
        'Olga: I keep every tip, because that is how we have always done it here.\n',
    ),
    await one.upload(
      project,
      'barista.txt',
      'Lena: What about tipping, and what happens with it in the end?\n' +
        'Bruno: Tips? I have never seen any of them, and I work there every weekend.\n',
    ),
  ];
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  const personas = await one.call(
    'POST',
    '/rest/v1/personas?select=id,name',
    ['Owners', 'Baristas'].map((name) => ({ project_id: project.id, name })),
    { Prefer: 'return=representation' },
  );
  for (const [i, id] of ids.entries()) {
    await one.call('PATCH', `/rest/v1/imports?id=eq.${id}`, { persona_id: personas[i].id });
    await one.call('POST', '/rest/v1/rpc/set_interviewers', { import: id, speakers: ['Lena'] });
  }
  return { page, one, project, ids, personas };
}

test('words are found and marked in all their forms', async (t) => {
  const { page, ids } = await limited(t);
  await page.keyboard.press('Control+k');
  await box(page).fill('tips always');
  await dialog(page).getByText('1 place in 1 interview.').waitFor();
  assert.deepEqual(await dialog(page).locator('mark.hit').allTextContents(), ['tip', 'always']);
  await picture(page, 'search-forms');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/imports/${ids[0]}\\?u=1&q=tips\\+always&f=tip$`));
  const marks = page.locator('.turn.placed mark.find');
  await marks.first().waitFor();
  assert.deepEqual(await marks.allTextContents(), ['tip', 'always']);

  // As they are written first, and only so in quotation marks.
  await page.keyboard.press('Control+k');
  await box(page).fill('tipping');
  await dialog(page).getByText('5 places in 2 interviews.').waitFor();
  assert.deepEqual(await dialog(page).locator('section h3').allTextContents(), [
    'Hypotheses',
    'barista',
    'owner',
  ]);
  await box(page).fill('"tipping"');
  await dialog(page).getByText('1 place in 1 interview.').waitFor();
});

test('a search is limited to a kind, a persona and a speaker, and is part of the address', async (t) => {
  const { page, personas, ids } = await limited(t);
  await page.keyboard.press('Control+k');
  await box(page).fill('tip');
  await dialog(page).getByText('5 places in 2 interviews.').waitFor();
  const kind = dialog(page).getByLabel('Kind');
  const persona = dialog(page).getByLabel('Persona');
  const speaker = dialog(page).getByLabel('Speaker');
  await persona.waitFor();
  await eventually(async () => (await speaker.locator('option').count()) === 4);
  assert.deepEqual(await kind.locator('option').allTextContents(), [
    'Everything',
    'Turns (4)',
    'Quotes (0)',
    'Hypotheses (1)',
    'Answers (0)',
    'Interviews and speakers (0)',
  ]);
  await picture(page, 'search-limits');
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );

  await kind.selectOption('Turns (4)');
  await dialog(page).getByText('4 places in 2 interviews.').waitFor();
  assert.equal(await dialog(page).locator('li.hypothesis').count(), 0);
  await persona.selectOption('Baristas');
  await dialog(page).getByText('1 place in 1 interview.').waitFor();
  assert.match(await dialog(page).locator('section [data-hit]').textContent(), /Bruno/);
  await page.waitForURL((url) => url.searchParams.get('search-persona') === personas[1].id);

  // It survives a reload, and going back from a hit.
  await page.reload();
  await dialog(page).getByText('1 place in 1 interview.').waitFor();
  assert.equal(await box(page).inputValue(), 'tip');
  await eventually(async () => (await persona.inputValue()) === personas[1].id);
  assert.equal(await kind.inputValue(), 'turns');
  await box(page).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/imports/${ids[1]}`));
  await gone(dialog(page));
  await page.goBack();
  await dialog(page).getByText('1 place in 1 interview.').waitFor();

  // Interviewers can be asked for by their name, and are of no persona.
  await speaker.selectOption('Lena');
  await dialog(page).getByText('Nothing found.').waitFor();
  await persona.selectOption('Any persona');
  await dialog(page).getByText('2 places in 2 interviews.').waitFor();
  await dialog(page).getByRole('button', { name: 'Search everything' }).click();
  await dialog(page).getByText('5 places in 2 interviews.').waitFor();
  await page.keyboard.press('Escape');
  await gone(dialog(page));
  await page.waitForURL((url) => url.search === '');
});

test('on a phone, the limits of a search fit', async (t) => {
  const { page } = await limited(t, { width: 390, height: 844 });
  await page.getByRole('button', { name: 'Search', exact: true }).first().click();
  await box(page).fill('tip');
  await dialog(page).getByText('5 places in 2 interviews.').waitFor();
  await dialog(page).getByLabel('Persona').waitFor();
  await dialog(page).getByLabel('Speaker').selectOption('Lena');
  await dialog(page).getByText('2 places in 2 interviews.').waitFor();
  await quiet(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, 'search-limits-narrow');
});
