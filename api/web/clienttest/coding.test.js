// Coding quotes: words of transcripts that belong to themes, with the keyboard or the mouse.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { enter, eventually, gone, keepMessages, person, picture, quiet, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const text = `Q: How do the tips work here?
Harriet: The tips go into one jar, and the loud ones take most of it.
Harriet: I cried in the storeroom once, over a shift plan.
Q: And who covers when somebody is ill?
Harriet: My sister. She always says yes, and I always feel guilty.
`;

async function opened(t, { options, statements = [] } = {}) {
  const page = await visit(t, options);
  await keepMessages(page);
  const one = await person('Codes');
  const project = await one.project(...statements);
  const id = await one.upload(project, 'harriet.txt', text);
  await one.call('PATCH', `/rest/v1/import_speakers?import_id=eq.${id}&speaker=eq.Q`, {
    role: 'interviewer',
  });
  await enter(page, one, `/imports/${id}`);
  await page.getByText('The tips go into one jar').waitFor();
  await quiet(page);
  return { page, one, project, id };
}

// select selects words of a turn, as the mouse does.
const select = (page, words) =>
  page.evaluate((wanted) => {
    for (const box of document.querySelectorAll('.utterance .text')) {
      const nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode()) {
        const at = nodes.currentNode.data.indexOf(wanted);
        if (at < 0) continue;
        document
          .getSelection()
          .setBaseAndExtent(nodes.currentNode, at, nodes.currentNode, at + wanted.length);
        return;
      }
    }
    throw new Error(`not there: ${wanted}`);
  }, words);

const popover = (page) => page.getByRole('dialog', { name: 'Add as evidence' });
const field = (page) => page.getByRole('combobox', { name: 'Theme' });
const chips = (page, card) => card.getByRole('list', { name: 'Themes' }).getByRole('listitem');
const quotes = (one, project) =>
  one.call(
    'GET',
    `/rest/v1/evidence?project_id=eq.${project.id}&order=byte_start` +
      '&select=id,quote,origin,review,match,evidence_hypotheses(stance),' +
      'evidence_themes(origin,review,themes(name))',
  );
const themesOf = (e) => e.evidence_themes.map((l) => l.themes.name).sort();

async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(' ')}`);
}

test('words get a theme in a project without hypotheses, and the next words the same one', async (t) => {
  const { page, one, project } = await opened(t);
  await select(page, 'the loud ones take most of it');
  await popover(page).waitFor();
  await popover(page).getByLabel('Write a hypothesis').waitFor(); // it is not empty
  await page.keyboard.press('t');
  await page.keyboard.type('Unfair tips');
  await page.getByRole('option', { name: 'Create “Unfair tips”' }).waitFor();
  await picture(page, 'coding-new');
  await page.keyboard.press('Enter');
  await gone(popover(page));
  await page.getByText('Quoted for “⁨Unfair tips⁩”').waitFor();
  await page.locator('mark.themed').waitFor();
  const card = page.locator('[data-evidence-card]');
  assert.deepEqual(await chips(page, card).allTextContents(), ['Unfair tips×']);
  const [first] = await quotes(one, project);
  assert.deepEqual(
    [first.quote, first.origin, first.review, first.match, first.evidence_hypotheses, themesOf(first)],
    ['the loud ones take most of it', 'human', 'accepted', 'verbatim', [], ['Unfair tips']],
  );

  // T Enter repeats it, at once, without waiting for the popover.
  await select(page, 'The tips go into one jar');
  await page.keyboard.press('t');
  await page.getByRole('option', { name: 'Unfair tips', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await eventually(async () => (await quotes(one, project)).length === 2);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await eventually(async () => (await quotes(one, project)).length === 1);
  await eventually(async () => (await page.locator('mark.themed').count()) === 1);
  const themes = await one.call('GET', `/rest/v1/themes?project_id=eq.${project.id}&select=name`);
  assert.deepEqual(themes, [{ name: 'Unfair tips' }]); // it has a quote still
  assert.deepEqual(await violations(page), []);

  // What fails half-way leaves neither a quote nor a theme.
  const names = async () =>
    (await one.call('GET', `/rest/v1/themes?project_id=eq.${project.id}&select=name`)).map((l) => l.name);
  const refuse = async (table, act) => {
    const path = new RegExp(`/rest/v1/${table}\\?`);
    await page.route(path, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 400, json: { code: '23514', message: `No ${table}.` } })
        : route.continue(),
    );
    await act();
    await page.getByText(`No ${table}.`).waitFor();
    await quiet(page);
    await page.unroute(path);
    assert.deepEqual(await names(), ['Unfair tips'], table);
    assert.equal((await quotes(one, project)).length, 1, table);
    await page.getByRole('button', { name: 'Dismiss' }).last().click();
  };
  const words = async () => {
    await select(page, 'I cried in the storeroom');
    await page.keyboard.press('t');
    await page.keyboard.type('Tears');
    await page.keyboard.press('Enter');
  };
  await refuse('themes', words);
  await refuse('evidence', words);
  await refuse('evidence_themes', words);
  await refuse('evidence_themes', async () => {
    await card.getByRole('button', { name: 'Theme' }).click();
    await page.keyboard.type('Tears');
    await page.keyboard.press('Enter');
  });
  assert.deepEqual(await chips(page, card).allTextContents(), ['Unfair tips×']);
});

test('the keyboard codes turns, and a quote gets several themes', async (t) => {
  const { page, one, project } = await opened(t, { statements: ['Owners plan on paper.'] });
  await page.keyboard.press('w');
  const focused = () => page.evaluate(() => document.activeElement.closest('.utterance')?.dataset.at);
  await eventually(async () => (await focused()) === '0');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('t');
  await eventually(() => field(page).evaluate((input) => input === document.activeElement));
  await page.keyboard.type('Tears');
  await page.keyboard.press('Enter');
  await eventually(async () => (await focused()) === '2'); // where it was
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('t');
  await page.keyboard.type('Guilt');
  await page.keyboard.press('Enter');
  await eventually(async () => (await quotes(one, project)).length === 2);

  // The words that are chosen again are the same quote.
  await eventually(async () => (await focused()) === '4');
  await page.keyboard.press('t');
  await page.getByRole('option', { name: /Guilt.*✓/ }).waitFor();
  await page.keyboard.type('tea');
  await page.keyboard.press('Enter');
  await eventually(async () => themesOf((await quotes(one, project)).at(-1)).length === 2);
  const all = await quotes(one, project);
  assert.deepEqual(all.map(themesOf), [['Tears'], ['Guilt', 'Tears']]);
  assert.deepEqual(
    all.map((e) => e.quote),
    [
      'I cried in the storeroom once, over a shift plan.',
      'My sister. She always says yes, and I always feel guilty.',
    ],
  );

  await t.test('a theme with a tick is taken away', async () => {
    await eventually(async () => (await focused()) === '4');
    await page.keyboard.press('t');
    await page.keyboard.type('tea');
    await page.getByRole('option', { name: /Tears.*✓/ }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(async () => themesOf((await quotes(one, project)).at(-1)).join() === 'Guilt');
    await page.getByText('The quote is no longer in “⁨Tears⁩”.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => themesOf((await quotes(one, project)).at(-1)).length === 2);
    await eventually(async () => (await page.locator('[data-at="4"] .stripes button').count()) === 2);
  });

  await t.test('stripes in the margin name the themes, and lead to the quotes', async () => {
    const turn = page.locator('[data-at="4"]');
    assert.equal(await turn.locator('.stripes button').count(), 2);
    await page.keyboard.press('Escape');
    await turn.getByRole('button', { name: /Theme ⁨Tears/ }).click();
    await page.locator(`[data-evidence-card="${all[1].id}"][aria-current="true"]`).waitFor();
    await picture(page, 'coding-stripes');
  });

  await t.test('× takes a quote out of a theme, and Undo puts it back', async () => {
    const card = page.locator(`[data-evidence-card="${all[1].id}"]`);
    await card.getByRole('button', { name: 'Take out of Tears' }).click();
    await eventually(async () => themesOf((await quotes(one, project))[1]).join() === 'Guilt');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => themesOf((await quotes(one, project))[1]).length === 2);
    await eventually(async () => (await chips(page, card).count()) === 2);
  });

  await t.test('T on the selected quote opens the picker, which takes a theme away too', async () => {
    await page.keyboard.press('k');
    await page.locator(`[data-evidence-card="${all[0].id}"][aria-current="true"]`).waitFor();
    await page.keyboard.press('t');
    await page.getByRole('dialog', { name: 'Theme' }).waitFor();
    await picture(page, 'coding-card');
    assert.deepEqual(await violations(page), []);
    await page.keyboard.type('tears');
    await page.keyboard.press('Enter');
    await eventually(async () => themesOf((await quotes(one, project))[0]).length === 0);
    await gone(page.getByRole('dialog', { name: 'Theme' }));
    const focus = await page.evaluate(() => document.activeElement.dataset.evidenceCard);
    assert.equal(focus, all[0].id); // where it was
  });

  await t.test('the evidence is limited to a theme, and to loose quotes', async () => {
    const limits = page.locator('.theme-limits');
    await limits.getByRole('button', { name: /Loose quotes\s*1/ }).click();
    await eventually(async () => (await page.locator('[data-evidence-card]').count()) === 1);
    await limits.getByRole('button', { name: /Guilt\s*1/ }).click();
    await page.locator(`[data-evidence-card="${all[1].id}"]`).waitFor();
    await limits.getByRole('button', { name: /Guilt\s*1/ }).click();
    await eventually(async () => (await page.locator('[data-evidence-card]').count()) === 2);
  });

  await t.test('the project has a place for loose quotes, which says how many there are', async () => {
    await page.goto(new URL(`${project.path}/evidence`, page.url()).href);
    await page.getByRole('link', { name: /Loose quotes\s*1/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Loose quotes' }).waitFor();
    await page.getByText('1 without hypothesis or theme').waitFor();
    await quiet(page);
    await page.keyboard.press('r');
    await page.getByText('0 without hypothesis or theme').waitFor();
    await page.keyboard.press('u');
    await page.getByText('1 without hypothesis or theme').waitFor();
    await quiet(page);

    // Two new themes before the server has answered.
    let release;
    const gate = new Promise((resolve) => (release = resolve));
    await page.route(/\/rest\/v1\/themes\?/, async (route) => {
      if (route.request().method() === 'POST') await gate;
      await route.continue();
    });
    for (const name of ['Shift plans', 'Tiredness']) {
      await page.keyboard.press('t');
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await gone(page.getByRole('dialog', { name: 'Theme' }));
    }
    release();
    await page.getByText('0 without hypothesis or theme').waitFor();
    const both = ['Shift plans', 'Tiredness'];
    await eventually(async () => themesOf((await quotes(one, project))[0]).join() === both.join());
    await quiet(page);
    const shown = await chips(page, page.locator('[data-evidence-card]')).allTextContents();
    assert.deepEqual(shown.map((name) => name.replace('×', '')).sort(), both);
    await picture(page, 'coding-loose');
    assert.deepEqual(await violations(page), []);
  });
});

test('what somebody else codes appears, and a name that exists is that theme', async (t) => {
  const { page, one, project, id } = await opened(t);
  await quiet(page);
  const [theme] = await one.call('POST', '/rest/v1/themes', { project_id: project.id, name: 'Guilt' });
  const [quote] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'I always feel guilty',
    review: 'accepted',
  });
  await one.call('POST', '/rest/v1/evidence_themes', { evidence_id: quote.id, theme_id: theme.id });
  await page.locator(`[data-evidence-card="${quote.id}"]`).waitFor();
  await page.locator('.stripes button').waitFor();

  const [other] = await one.call('POST', '/rest/v1/themes', {
    project_id: project.id,
    name: 'Bad conscience',
  });
  await one.call('POST', '/rest/v1/rpc/merge_themes', { from: [other.id], into: theme.id });
  await select(page, 'She always says yes');
  await page.keyboard.press('t');
  await page.keyboard.type('conscience');
  await page.getByText('merged into Guilt').waitFor();
  await page.keyboard.press('Enter');
  await eventually(async () => {
    const all = (await quotes(one, project)).map(themesOf);
    return all.length === 2 && all.every((names) => names.join() === 'Guilt');
  });
});

test('in narrow and dark windows nothing is wider than the window', async (t) => {
  const options = { width: 390, height: 800, colorScheme: 'dark', hasTouch: true };
  const { page, one, project, id } = await opened(t, { options });
  for (const name of ['Unfair tips', 'Tears in the storeroom', 'Guilt'])
    await one.call('POST', '/rest/v1/themes', { project_id: project.id, name });
  const [quote] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'I cried in the storeroom once',
    review: 'accepted',
  });
  const fits = async (name) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name);
    assert.deepEqual(await violations(page), [], name);
    await picture(page, `coding-narrow-${name}`);
  };
  const card = page.locator(`[data-evidence-card="${quote.id}"]`);
  await page.reload();
  await card.click();
  await card.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('option', { name: 'Guilt' }).waitFor();
  await fits('picker');
  await page.getByRole('option', { name: 'Guilt' }).click();
  await chips(page, card).first().waitFor();
  await fits('card');
  await page
    .getByRole('button', { name: /^Quote this turn/ })
    .nth(1)
    .click();
  await field(page).first().focus();
  await page.getByRole('option', { name: 'Unfair tips' }).waitFor();
  await fits('words');
});
