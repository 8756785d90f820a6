// Reviewing and adding evidence; filters, export, and the limits of a viewer.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { joined, judged, quoteOf, reviews, statements } from './judged.js';
import {
  base,
  enter,
  eventually,
  gone,
  heading,
  keepMessages,
  lena,
  person,
  quiet,
  scene,
  visit,
} from './harness.js';

const current = (page) => page.locator('article[aria-current=true]');
const quote = async (page) => (await current(page).locator('blockquote').textContent()).slice(0, 20);
test('the actions of a selected quote cover none of its words', async (t) => {
  const page = await visit(t);
  const one = await person('Wide');
  const project = await one.project('Receipts take too long.');
  const speaker = 'Maximiliane von Oppenheim-Schwarzenberg';
  const quotes = ['They take the whole afternoon.', 'I spent nine days on them.', 'It never ends.'];
  const id = await one.upload(
    project,
    'A head of finance with a long title.txt',
    quotes.map((text) => `${speaker}: ${text}`).join('\n'),
  );
  for (const text of quotes) {
    const [e] = await one.call('POST', '/rest/v1/evidence', {
      project_id: project.id,
      import_id: id,
      quote: text,
    });
    await one.call('POST', '/rest/v1/evidence_hypotheses', {
      evidence_id: e.id,
      hypothesis_id: project.hypotheses[0].id,
      stance: 'supports',
    });
  }
  await enter(page, one, `${project.path}/evidence`);
  await page.getByRole('article').nth(2).waitFor();
  await page.keyboard.press('j');
  for (const width of [900, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await quiet(page);
    const covered = await current(page).evaluate((card) => {
      const over = card.querySelector('.do').getBoundingClientRect();
      return [...card.querySelectorAll('blockquote, .meta > :not(.unseen)')]
        .filter((part) => {
          const { left, right, top, bottom } = part.getBoundingClientRect();
          return left < over.right && right > over.left && top < over.bottom && bottom > over.top;
        })
        .map((part) => part.textContent.trim());
    });
    assert.deepEqual(covered, [], `${width} pixels wide`);
    for (const name of ['Accept', 'Reject', 'Why', 'Edit', 'In findings'])
      await current(page).getByRole('button', { name, exact: true }).click({ trial: true });
  }
});

test('keyboard shortcuts select, accept, reject, undo, and open the transcript', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Keys');
  await enter(page, one, `${project.path}/evidence`);
  await page.getByRole('article').first().waitFor();

  await page.keyboard.press('j');
  const first = await quote(page);
  assert.equal(first, 'The others close whe');
  await eventually(() => current(page).evaluate((element) => element === document.activeElement));
  await page.keyboard.press('a');
  await eventually(async () => (await quote(page)) !== first); // the next quote is selected
  await eventually(async () => (await reviews(one, project))[first] === 'accepted');
  await page
    .getByRole('status')
    .filter({ hasText: /Quote accepted|Accepted/ })
    .first()
    .waitFor();
  const second = await quote(page);
  await page.keyboard.press('r');
  await eventually(async () => (await reviews(one, project))[second] === 'rejected');
  await page.keyboard.press('u');
  await eventually(async () => (await reviews(one, project))[second] === 'suggested');
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await eventually(async () => (await quote(page)) === first);
  await page.keyboard.press('ArrowRight');
  await eventually(async () => (await quote(page)) === second); // in the column with evidence against
  await eventually(() => current(page).evaluate((element) => element === document.activeElement));
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Escape');
  assert.equal(await quote(page), second, 'shortcuts are disabled while a dialog is open');
  await page.keyboard.press(']');
  await heading(page, statements[1]).waitFor();
  await page.keyboard.press('[');
  await heading(page, statements[0]).waitFor();
  await eventually(async () => (await quote(page)) === second); // the selection is restored
  await page.keyboard.press('k');
  const opened = await quote(page);
  await page.keyboard.press('Enter');
  const mark = page.locator('mark.selected');
  await mark.first().waitFor();
  assert.equal((await mark.first().textContent()).slice(0, 20), opened);

  // The same shortcuts work beside the transcript.
  await page.keyboard.press('j');
  await eventually(async () => (await quote(page)) !== opened);
  const there = await quote(page);
  await page.keyboard.press('r');
  await eventually(async () => (await reviews(one, project))[there] === 'rejected');
  await page.keyboard.press('/');
  assert.ok(
    await page.getByLabel('Find in the transcript').evaluate((element) => element === document.activeElement),
  );
  await page.keyboard.type('ja');
  assert.equal((await reviews(one, project))[there], 'rejected', 'typing does not trigger shortcuts');

  // The reviews are stored, and rejected quotes are hidden.
  await page.goto(`${base}${project.path}/evidence`);
  await page.getByText('1 rejected quote not shown.').waitFor();
  const accepted = page.getByRole('article').filter({ hasText: first });
  assert.equal(await accepted.getByRole('button', { name: 'Accept' }).getAttribute('aria-pressed'), 'true');
});

test('the shortcuts work as soon as the view is drawn', async (t) => {
  const page = await visit(t);
  const one = await person('Quick');
  const project = await one.project('Receipts take long.');
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('main.board')) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }));
    }).observe(document, { childList: true, subtree: true });
  });
  await enter(page, one, `${project.path}/evidence`);
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
});

const pressed = (card) => card.getByRole('button', { name: 'Accept' }).getAttribute('aria-pressed');

test('when a judgement is refused, the page shows the old state again', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Refused');
  const editor = await person('Demoted');
  const role = await joined(one, project, editor, 'editor');
  await enter(page, editor, `${project.path}/evidence`);
  const card = page.getByRole('article').first();
  await card.getByRole('button', { name: 'Accept' }).waitFor();
  await role('viewer');
  await card.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('alert').getByText('Your role in this workspace does not allow this.').waitFor();
  assert.equal(await pressed(card), 'false');
  assert.ok(Object.values(await reviews(one, project)).every((review) => review === 'suggested'));
});

test('judgements without a connection are kept, shown as unsaved, and sent later', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Offline');
  await enter(page, one, `${project.path}/evidence`);
  const cards = page.getByRole('article');
  await cards.first().waitFor();
  await quiet(page);
  const [first, second] = [await quoteOf(cards.nth(0)), await quoteOf(cards.nth(1))];
  await page.context().setOffline(true);
  await cards.nth(0).getByRole('button', { name: 'Accept' }).click();
  await cards.nth(1).getByRole('button', { name: 'Reject' }).click();
  await page.getByText('2 judgements not saved yet.').waitFor();
  assert.equal(await pressed(cards.nth(0)), 'true');
  assert.equal(await page.getByText('Saved', { exact: true }).count(), 0);

  // A new tab, opened while the judgements cannot be sent, has them too.
  await page
    .context()
    .route('**/rest/v1/evidence?*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
  await page.context().setOffline(false);
  const later = await page.context().newPage();
  await page.close();
  await later.goto(`${base}${project.path}/evidence`);
  await later.getByText('2 judgements not saved yet.').waitFor();
  assert.equal(await pressed(later.getByRole('article').filter({ hasText: first })), 'true');
  assert.equal((await reviews(one, project))[first], 'suggested');

  await later.context().unroute('**/rest/v1/evidence?*');
  await eventually(async () => {
    const now = await reviews(one, project);
    return now[first] === 'accepted' && now[second] === 'rejected';
  });
  await gone(later.getByText('not saved yet'));
});

test('a judgement never replaces one that its author did not see', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Conflict');
  const other = await person('Jun Park');
  await joined(one, project, other, 'editor');
  await page.route(/evidence\.reviewed_at/, (route) => route.abort()); // no news of others
  await enter(page, one, `${project.path}/evidence`);
  const cards = page.getByRole('article');
  await cards.first().waitFor();
  await quiet(page);
  const [first, second] = [await quoteOf(cards.nth(0)), await quoteOf(cards.nth(1))];
  const rows = await other.call('GET', `/rest/v1/evidence?project_id=eq.${project.id}&select=id,quote`);
  const idOf = (begin) => rows.find(({ quote: text }) => text.startsWith(begin)).id;
  for (const id of [idOf(first), idOf(second)])
    await other.call('PATCH', `/rest/v1/evidence?id=eq.${id}`, { review: 'rejected' });

  const conflict = page.getByRole('alert', { name: 'Conflict' });
  await cards.filter({ hasText: first }).getByRole('button', { name: 'Accept' }).click();
  await conflict.getByText(/Jun Park rejected this just now\./).waitFor();
  assert.equal((await reviews(one, project))[first], 'rejected');
  await conflict.getByRole('button', { name: 'Use mine' }).click();
  await eventually(async () => (await reviews(one, project))[first] === 'accepted');
  await gone(conflict);

  await cards.filter({ hasText: second }).getByRole('button', { name: 'Accept' }).click();
  await conflict.getByRole('button', { name: 'Keep theirs' }).click();
  await gone(conflict);
  await quiet(page);
  assert.equal((await reviews(one, project))[second], 'rejected');
});

test('filters by interview, speaker, persona and review are part of the address', async (t) => {
  const page = await visit(t);
  const { one, project, ids } = await judged('Filters');
  await enter(page, one, `${project.path}/evidence`);
  const cards = page.getByRole('article');
  await cards.first().waitFor();
  await quiet(page);
  const all = await cards.count();
  await page.getByLabel('Interview', { exact: true }).selectOption('ines');
  await eventually(async () => (await cards.count()) === 1);
  assert.match(page.url(), new RegExp(`import=${ids[1]}`));
  await page.reload();
  await eventually(async () => (await cards.count()) === 1);
  await page.getByRole('button', { name: 'Clear' }).click();
  await eventually(async () => (await cards.count()) === all);
  await page.getByLabel('Speaker').selectOption('Priya Nair');
  await eventually(async () => (await cards.count()) === all - 1);
  await page.getByLabel('Speaker').selectOption('');
  await page.getByLabel('Review', { exact: true }).selectOption('accepted');
  await page.getByText('Nothing matches the filter.').first().waitFor();
  await gone(cards);
});

test('the summary and stance of a quote can be edited, its words cannot', async (t) => {
  const page = await visit(t);
  await keepMessages(page);
  const { one, project } = await judged('Edits');
  await enter(page, one, `${project.path}/evidence`);
  const card = page.getByRole('article').filter({ hasText: 'payroll, not the receipts' });
  await card.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').first().waitFor();
  assert.equal(await dialog.getByRole('textbox').count(), 1);
  await dialog.getByRole('radio', { name: 'Neutral' }).check();
  await dialog.getByLabel('Summary in your own words').fill('Two of fourteen wait for payroll.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const moved = page
    .getByRole('region', { name: /^Neutral/ })
    .getByRole('article')
    .filter({ hasText: 'payroll, not the receipts' });
  await moved.getByText('Two of fourteen wait for payroll.').waitFor();
  await page.locator('.score').getByText('1 neutral').waitFor();

  // A deletion can be undone; otherwise it happens.
  await moved.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await gone(moved);
  await page.getByRole('button', { name: 'Undo' }).click();
  await moved.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Evidence deleted.').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).last().click();
  await eventually(
    async () => !Object.keys(await reviews(one, project)).some((q) => q.startsWith('For two of them')),
  );
});

test('selected words become evidence, verified like all other evidence', async (t) => {
  const page = await visit(t);
  const { one, project, ids } = await judged('Selects');
  const text =
    'Dana: First — ünïcödé 🎉 before.\n' +
    'Omar: We wait nine days 🎉 for it, every month, and nobody minds.\n' +
    'Dana: Nine? Really?\n';
  const id = await one.upload(project, 'own.txt', text);
  await enter(page, one, `/imports/${id}`);
  await page.getByRole('heading', { name: 'Not analysed yet' }).waitFor();
  // Select backwards, from the third turn to the second.
  await page.evaluate(() => {
    const [, second, third] = document.querySelectorAll('.utterance .text');
    const at = (element, words) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const node = walker.nextNode();
      return [node, node.data.indexOf(words)];
    };
    const [from, i] = at(second, '🎉 for it');
    const [to, j] = at(third, '? Really');
    document.getSelection().setBaseAndExtent(to, j, from, i);
  });
  const popover = page.getByRole('dialog', { name: 'Add as evidence' });
  await popover.getByText('🎉 for it, every month').waitFor();
  await popover.getByRole('button', { name: 'With a note…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Hypothesis').selectOption(statements[0]);
  await dialog.getByRole('radio', { name: 'Supports' }).check();
  await dialog.getByRole('button', { name: 'Add evidence' }).click();
  await page.locator('mark.selected').first().waitFor();
  const [stored] = await one.call(
    'GET',
    `/rest/v1/evidence?import_id=eq.${id}&select=quote,byte_start,byte_end,speaker,match,origin,review`,
  );
  assert.equal(stored.quote, '🎉 for it, every month, and nobody minds.\nNine');
  assert.equal(stored.byte_end - stored.byte_start, Buffer.byteLength(stored.quote));
  assert.deepEqual(
    [stored.speaker, stored.match, stored.origin, stored.review],
    ['Omar', 'verbatim', 'human', 'accepted'],
  );
  assert.equal((await page.locator('mark.selected').allTextContents()).join('\n'), stored.quote);

  // With the keyboard: the button of a turn quotes the whole turn.
  await page.getByRole('button', { name: 'Quote this turn by Dana' }).first().focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('First — ünïcödé 🎉 before.').waitFor();
  await page.keyboard.press('Escape');

  // On the board: a typed quote is located in the interview.
  await page.goto(`${base}${project.path}/evidence`);
  await page.getByRole('button', { name: 'Add by hand' }).click();
  await dialog.getByLabel('Quote').fill('Filing them takes me three minutes.');
  await dialog.getByLabel('Interview').selectOption(ids[1]);
  await dialog.getByRole('radio', { name: 'Contradicts' }).check();
  await dialog.getByRole('button', { name: 'Add evidence' }).click();
  const [found] = await (async () => {
    let rows = [];
    await eventually(
      async () =>
        (rows = await one.call(
          'GET',
          `/rest/v1/evidence?import_id=eq.${ids[1]}&origin=eq.human&select=speaker,match,byte_start`,
        )).length === 1,
    );
    return rows;
  })();
  assert.deepEqual([found.speaker, found.match], ['Ines Carvalho', 'verbatim']);
});

test('evidence is exported as CSV, Markdown and JSON, with its sources', async (t) => {
  const page = await visit(t);
  const { one, project, ids } = await judged('Exports');
  await enter(page, one, `${project.path}/evidence`);
  const get = async (kind, what) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(kind).check();
    if (what) await dialog.getByLabel(what).check();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };
  const csv = await get('CSV', 'Whole project: accepted and unreviewed');
  assert.match(csv.name, /^receipts-evidence-project-\d{4}-\d\d-\d\d\.csv$/);
  const rows = csv.text.trimEnd().split('\r\n');
  assert.ok(rows[0].startsWith('\ufeffhypothesis,stance,strength,review,quote,'));
  assert.equal(
    rows.length,
    1 +
      (await one.call('GET', `/rest/v1/evidence_hypotheses?project_id=eq.${project.id}&select=stance`))
        .length,
  );
  const [{ sha256: sha }] = await one.call('GET', `/rest/v1/imports?id=eq.${ids[0]}&select=sha256`);
  assert.ok(
    rows.some(
      (row) =>
        row.includes('For two of them it is the payroll') &&
        row.includes('Priya Nair,0:46,46500') &&
        row.includes('priya.srt') &&
        row.includes(sha),
    ),
    csv.text,
  );

  const md = await get('Markdown', 'Whole project: accepted and unreviewed');
  assert.match(md.text, /^# Evidence: Receipts$/m);
  assert.match(md.text, /^> For two of them it is the payroll, not the receipts\.$/m);
  assert.match(
    md.text,
    /^— Priya Nair, .*, 0:46; medium evidence, to review, AI \(test\\-model\), verbatim$/m,
  );

  const json = JSON.parse((await get('JSON', 'Whole project: accepted and unreviewed')).text);
  const one1 = json.evidence.find((e) => e.quote.startsWith('For two of them'));
  assert.equal(one1.import.sha256, sha);
  assert.equal(one1.evidence_hypotheses[0].stance, 'contradicts');
  assert.equal(json.hypotheses.length, 2);

  const accepted = await get('CSV', 'Whole project: accepted only');
  assert.equal(accepted.text.trimEnd().split('\r\n').length, 1);
});

test('a viewer can read everything, and sees no action that the server would refuse', async (t) => {
  const page = await visit(t);
  const { one, project, ids } = await judged('Shares');
  const viewer = await person('Viewer');
  await joined(one, project, viewer, 'viewer');
  await enter(page, viewer, `${project.path}/evidence`);
  await page.getByRole('article').first().getByText('to review', { exact: true }).waitFor();
  for (const path of [
    project.path,
    `${project.path}/evidence`,
    `${project.path}/interviews`,
    `${project.path}/questions`,
    `${project.path}/personas`,
    `/imports/${ids[0]}`,
  ]) {
    await page.goto(base + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await quiet(page);
    assert.equal(
      await page
        .getByRole('button', {
          name: /New|Edit|Accept|Reject|Add|Find evidence|Try again|Quote|choose files/,
        })
        .count(),
      0,
      path,
    );
  }
  await page.keyboard.press('j');
  await page.keyboard.press('a');
  await quiet(page);
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.ok(Object.values(await reviews(one, project)).every((r) => r === 'suggested'));
});

test('a person decides on a hypothesis, and the reason is shown', async (t) => {
  const page = await visit(t);
  await enter(page, lena, scene);
  await page.getByLabel('Verdict').nth(3).selectOption('validated');
  const dialog = page.getByRole('dialog', { name: 'Verdict: validated' });
  await dialog.getByLabel('Reason').fill('Two fees and a late commission.');
  await dialog.getByText(/^\d+ of \d+ quotes were not reviewed\./).waitFor();
  await dialog.getByRole('link', { name: 'Review them' }).waitFor();
  await dialog.getByRole('button', { name: 'Decide anyway' }).click();
  await page.getByRole('link', { name: 'A late close costs' }).click();
  await page.getByText('Two fees and a late commission.').waitFor();
  await page.getByLabel('Verdict').selectOption('testing');
  await eventually(async () => (await page.getByText('Two fees and a late commission.').count()) === 0);
});

test('the judgements of others appear with their names, without a reload', async (t) => {
  const [mine, theirs] = [await visit(t), await visit(t)];
  const { one, project } = await judged('Together');
  const other = await person('Jun Park');
  await joined(one, project, other, 'editor');
  await enter(mine, one, `${project.path}/evidence`);
  await enter(theirs, other, `${project.path}/evidence`);
  const card = theirs.getByRole('article').first();
  await card.waitFor();
  const words = await quoteOf(card);
  const seen = mine.getByRole('article').filter({ hasText: words });
  await seen.waitFor();
  await card.getByRole('button', { name: 'Accept' }).click();
  await seen.getByText('accepted by Jun Park').waitFor();
  assert.equal(await pressed(seen), 'true');

  // It can be changed, by who says so.
  await seen.getByRole('button', { name: 'Reject' }).click();
  await mine.getByRole('alert', { name: 'Conflict' }).getByRole('button', { name: 'Use mine' }).click();
  await eventually(async () => (await reviews(one, project))[words] === 'rejected');
  await gone(seen.getByText('Jun Park'));
  await card.getByText('rejected by Together').waitFor();
});
