// The complete workflow of a new user, from an empty project to evidence.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { drop, enter, eventually, gone, heading, person, spoken, visit, within } from './harness.js';

const read = (name) => readFileSync(new URL(`scene/${name}`, import.meta.url), 'utf8');
const files = [
  ['priya.srt', read('priya.srt')],
  ['tom.txt', read('tom.txt')],
  ['ines.vtt', read('ines.vtt')],
];

test('from an empty project to evidence', async (t) => {
  const page = await visit(t);
  const one = await person('Journey');
  const project = await one.project();
  await enter(page, one, project.path);

  await t.test('the empty project says what to do, and hypotheses can be added', async () => {
    await page.getByRole('heading', { name: 'What do you believe?' }).waitFor();
    for (const statement of [
      'Chasing missing receipts is the biggest time sink of the close.',
      'Companies of 20 to 100 people will pay per seat and month.',
      'Dentists struggle with their calendars.',
    ]) {
      await page.getByRole('button', { name: /New hypothesis/ }).click();
      await page.getByRole('textbox', { name: 'Statement', exact: true }).fill(statement);
      await page.getByLabel('Wrong if').fill('Nobody says so.');
      await page.getByRole('button', { name: 'Add hypothesis' }).click();
      await page.getByRole('link', { name: statement }).waitFor();
    }
  });

  await t.test(
    'several files can be dropped at once, and each shows its format, speakers and length',
    async () => {
      await page.getByRole('link', { name: 'Interviews', exact: true }).click();
      await page.getByRole('heading', { name: 'No interviews yet' }).waitFor();
      await drop(page, files);
      await page.getByRole('button', { name: 'Import 3 interviews' }).click();
      for (const [title, about] of [
        ['priya', /SubRip.*Lena Fischer, Priya Nair/],
        ['tom', /Plain text.*Lena Fischer, Tom Brandt/],
        ['ines', /WebVTT.*1 min.*Ines Carvalho, Lena Fischer/],
      ]) {
        const item = page
          .locator('.imports > li')
          .filter({ has: page.getByRole('link', { name: title, exact: true }) });
        await item.filter({ hasText: about }).waitFor();
        await item.getByText('ready', { exact: true }).waitFor();
      }
    },
  );

  await t.test('hypotheses are selected, and the interviews are analysed without a reload', async () => {
    let loads = 0;
    page.on('load', () => loads++);
    await page.getByRole('button', { name: 'Find evidence in 3' }).click();
    const dialog = page.getByRole('dialog');
    await eventually(async () => (await dialog.getByRole('checkbox', { checked: true }).count()) === 3);
    await dialog.getByRole('button', { name: 'None' }).click();
    assert.ok(await dialog.getByRole('button', { name: 'Find evidence' }).isDisabled());
    await dialog.getByRole('button', { name: 'All' }).click();
    await dialog.getByRole('button', { name: 'Find evidence' }).click();
    await eventually(async () => (await page.locator('.imports .tag.parsed').count()) === 3);
    await page
      .locator('.imports > li')
      .filter({ hasText: 'tom' })
      .getByText('1 AI quote discarded')
      .waitFor();
    assert.equal(loads, 0);
    // Lena asks the questions.
    for (const { id } of await one.call('GET', `/rest/v1/imports?project_id=eq.${project.id}&select=id`))
      await one.call('POST', '/rest/v1/rpc/set_interviewers', { import: id, speakers: ['Lena Fischer'] });
  });

  await t.test(
    'the board shows evidence for and against side by side, and where nothing was found',
    async () => {
      await page.getByRole('link', { name: 'Evidence', exact: true }).click();
      const column = (name) => page.getByRole('region', { name });
      await column(/^For/)
        .getByRole('article')
        .filter({ hasText: 'The others close when the last receipt has come in' })
        .waitFor();
      assert.equal(await column(/^For/).getByRole('article').count(), 1);
      assert.equal(
        await column(/^Against/)
          .getByRole('article')
          .count(),
        2,
      );
      assert.equal(
        await column(/^Neutral/)
          .getByRole('article')
          .count(),
        1,
      );
      await eventually(async () => {
        const [left, right] = [await column(/^For/).boundingBox(), await column(/^Against/).boundingBox()];
        return left.y === right.y && left.x + left.width <= right.x; // side by side
      });
      const card = column(/^Against/)
        .getByRole('article')
        .filter({ hasText: 'payroll, not the receipts' });
      for (const part of ['Priya Nair', '0:46', 'priya', 'medium'])
        await card.getByText(part, { exact: true }).first().waitFor();
      await card.getByRole('button', { name: 'Why' }).click();
      for (const part of ['another step comes first', 'AI · test-model', 'verbatim'])
        await card.getByText(part).first().waitFor();
      await page
        .getByRole('region', { name: 'Answer' })
        .getByText('1 of 3 participants contradicts')
        .waitFor();

      await page.getByRole('link', { name: /Dentists/ }).click();
      await page.getByRole('heading', { name: 'No evidence yet' }).waitFor();
      await page
        .getByText('3 interviews were searched for this hypothesis, and nothing was found.')
        .waitFor();
      assert.equal(await page.locator('.gaps a').count(), 3);
    },
  );

  await t.test('a quote opens the transcript at its place, with its words marked', async () => {
    await page.getByRole('link', { name: /Chasing missing/ }).click();
    await page
      .getByRole('article')
      .filter({ hasText: 'payroll, not the receipts' })
      .getByRole('link', { name: 'Open the transcript at this quote' })
      .click();
    await heading(page, 'priya').waitFor();
    const mark = page.locator('mark.selected');
    await mark.waitFor();
    assert.equal(await mark.textContent(), 'For two of them it is the payroll, not the receipts.');
    await within(mark, page.locator('.scroller'));
    assert.equal(
      await page.locator('[data-evidence-card][aria-current=true] blockquote').textContent(),
      await mark.textContent(),
    );
    // Every hypothesis has an answer.
    const answers = page.locator('.answer');
    assert.deepEqual(await answers.locator('.tag').allTextContents(), [
      'mixed',
      'contradicts',
      'nothing found',
    ]);
  });

  await t.test('the address of a quote can be shared', async () => {
    const again = await page.context().newPage();
    await again.goto(page.url());
    await again.locator('mark.selected').filter({ hasText: 'For two of them it is the payroll' }).waitFor();
    await again.close();
  });
});

test('an upload shows its progress and can be cancelled; unreadable files are refused', async (t) => {
  const page = await visit(t);
  const one = await person('Uploads');
  const project = await one.project('Something');
  await enter(page, one, `${project.path}/interviews`);
  await page.getByRole('heading', { name: 'No interviews yet' }).waitFor();
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const slow = (bytes) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytes,
    });

  await slow(60_000); // so slow that a busy machine sees the progress; the limit is lifted below
  await drop(page, [
    ['slow.txt', spoken(100_000)],
    ['cancelled.txt', spoken(100_000)],
  ]);
  const bar = page.getByRole('progressbar', { name: 'Reading slow.txt' });
  await eventually(async () => {
    const now = Number(await bar.getAttribute('aria-valuenow'));
    return now > 5 && now < 95;
  });
  await page.getByRole('button', { name: 'Remove cancelled.txt' }).click();
  await slow(-1);
  await page.getByRole('button', { name: 'Import 1 interview' }).click();
  await page.getByRole('link', { name: 'slow', exact: true }).waitFor();
  await page.getByText('100,0').first().waitFor(); // the approximate number of words
  await gone(page.getByRole('link', { name: 'cancelled' }));

  await drop(page, [
    ['empty.txt', ''],
    ['large.txt', 'x'.repeat(10 * 2 ** 20 + 1)],
    ['broken.docx', 'PK\u0003\u0004 nothing that a program wrote'],
    ['good.txt', 'Dana: It works.\nOmar: It does.\n'],
  ]);
  const uploads = page.getByRole('list', { name: 'Uploads' });
  await uploads
    .getByRole('listitem')
    .filter({ hasText: 'empty.txt' })
    .getByText('The file is empty.')
    .waitFor();
  await uploads
    .getByRole('listitem')
    .filter({ hasText: 'large.txt' })
    .getByText('Split the transcript.')
    .waitFor();
  const refused = uploads.getByRole('listitem').filter({ hasText: 'broken.docx' }).getByRole('alert');
  await refused.waitFor();
  assert.match(await refused.textContent(), /[A-Z].*\./);
  await page.getByRole('button', { name: 'Import 1 interview' }).click();
  await page.getByRole('link', { name: 'good', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove empty.txt' }).click();
  await gone(uploads.getByText('empty.txt'));
});

test('an upload that failed because of the connection can be repeated', async (t) => {
  const page = await visit(t);
  const one = await person('Again');
  const project = await one.project('Something');
  await enter(page, one, `${project.path}/interviews`);
  await page.getByRole('heading', { name: 'No interviews yet' }).waitFor();
  await page.context().setOffline(true);
  await drop(page, [['interview.txt', 'Dana: It works.\nOmar: It does.\n']]);
  await page.getByText('The server cannot be reached. Check your connection and try again.').waitFor();
  await page.context().setOffline(false);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'interview.txt' })
    .getByRole('button', { name: 'Try again' })
    .click();
  await page.getByRole('button', { name: 'Import 1 interview' }).click();
  await page.getByRole('link', { name: 'interview', exact: true }).waitFor();
});

test('files can also be chosen with a file picker', async (t) => {
  const page = await visit(t);
  const one = await person('Picks');
  const project = await one.project('Something');
  await enter(page, one, `${project.path}/interviews`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'choose files' }).click();
  await (
    await chooser
  ).setFiles(files.map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })));
  await page.getByRole('button', { name: 'Import 3 interviews' }).click();
  await eventually(async () => (await page.locator('.imports > li').count()) === 3);
});
