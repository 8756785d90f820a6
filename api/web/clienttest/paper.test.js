// What is printed, the chart of a board, and the answer of a decided hypothesis at each width.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, person, picture, spoken, visit } from './harness.js';

const REASON = 'Seven of the nine people who were asked do it this way, and nobody wants to stop.';

// stored adds quotes of an interview for the first hypothesis.
async function stored(one, project, importId, quotes) {
  for (const [quote, stance] of quotes) {
    const [evidence] = await one.call('POST', '/rest/v1/evidence', {
      project_id: project.id,
      import_id: importId,
      quote,
    });
    await one.call('POST', '/rest/v1/evidence_hypotheses', {
      project_id: project.id,
      evidence_id: evidence.id,
      hypothesis_id: project.hypotheses[0].id,
      stance,
    });
  }
}

// decided returns a project with a decided hypothesis, and interviews with these dates.
async function decided(one, dates) {
  const project = await one.project('Receipts take long.');
  const ids = [];
  for (const [i, interviewed_on] of dates.entries()) {
    const id = await one.upload(project, `talk ${i}.txt`, spoken(2000, `Talk ${i}.`));
    if (interviewed_on) await one.call('PATCH', `/rest/v1/imports?id=eq.${id}`, { interviewed_on });
    await stored(one, project, id, [
      ['In week 0 ', 'supports'],
      ['In week 1 ', 'contradicts'],
      ['In week 2 ', 'neutral'],
    ]);
    ids.push(id);
  }
  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${project.hypotheses[0].id}`, {
    status: 'validated',
    decision_reason: REASON,
  });
  return { project, ids };
}

const controls = ':is(button, select, input, textarea):not(.faces *, .answer, .decision select)';

test('the answer of a decided hypothesis, its chart, and the board on paper', async (t) => {
  const page = await visit(t);
  const one = await person('Decides');
  const { project } = await decided(one, ['2031-04-12', '2031-04-12', '2031-05-02']);
  await enter(page, one, `${project.path}/evidence`);
  await page.getByText(REASON).waitFor();
  await page.getByRole('article').first().waitFor();

  await t.test('it is readable at every width', async () => {
    for (const width of [390, 768, 1024, 1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 860 });
      const box = (selector) => page.locator(selector).first().boundingBox();
      const [card, select, reason] = [
        await box('.conclusion'),
        await box('.decision select'),
        await box('.decision .reason'),
      ];
      assert.ok(select.width >= 80, `the verdict is ${select.width} px wide at ${width} px`);
      assert.ok(reason.width >= 180, `the reason is ${reason.width} px wide at ${width} px`);
      for (const inner of [select, reason])
        assert.ok(inner.x >= card.x && inner.x + inner.width <= card.x + card.width, `${width} px`);
      const aligned = await page.locator('.decision .reason').evaluate((e) => getComputedStyle(e).textAlign);
      assert.equal(aligned, width <= 820 ? 'start' : 'right', `${width} px`); // as the verdict above it
      const color = (selector) =>
        page
          .locator(selector)
          .first()
          .evaluate((e) => getComputedStyle(e).color);
      assert.equal(await color('.decision .reason'), await color('.score'), 'no rule of another view');
      await picture(page, `decided-${width}`);
    }
  });

  await t.test('the chart has the days of the interviews, each once, and a legend', async () => {
    await page.setViewportSize({ width: 1280, height: 860 });
    await page
      .getByRole('img', { name: 'Balance over 3 interviews, 12 Apr 2031 to 2 May 2031: 3 for, 3 against' })
      .waitFor();
    assert.equal(await page.locator('.plot .hit').count(), 2);
    const caption = await page.locator('.plot figcaption').textContent();
    assert.match(caption.replace(/\s+/g, ' '), /for\s?against\s?balance, by day of interview/);
  });

  await t.test('paper has both sides and no controls', async () => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await page.emulateMedia({ media: 'print' });
      for (const stance of ['supports', 'contradicts', 'neutral'])
        await eventually(async () => (await page.locator(`.column.${stance} blockquote`).count()) === 3);
      await eventually(async () => (await page.locator(`${controls}:visible`).count()) === 0);
      await picture(page, `board-paper-${width}`);
      await page.emulateMedia({ media: 'screen' });
    }
    assert.equal(pagesOf(await page.pdf({ format: 'A4' })) >= 1, true);
  });
});

// pagesOf counts the pages of a PDF that Chromium wrote.
const pagesOf = (pdf) => pdf.toString('latin1').match(/\/Type \/Page\b/g).length;

test('a chart needs two days, and says so if they are those of the upload', async (t) => {
  const page = await visit(t);
  const one = await person('Same day');
  const { project } = await decided(one, [null, null]);
  await enter(page, one, `${project.path}/evidence`);
  await page.getByText(REASON).waitFor();
  await page.getByRole('article').first().waitFor();
  assert.equal(await page.locator('.plot').count(), 0);
});

test('a whole transcript is printed, and its place is kept', async (t) => {
  const page = await visit(t);
  const one = await person('Prints');
  const { ids } = await decided(one, ['2031-04-12']);
  await enter(page, one, `/imports/${ids[0]}`);
  await page.locator('.utterance').first().waitFor();
  const drawn = () => page.locator('.utterance').count();
  assert.ok((await drawn()) < 100);
  const top = () => page.locator('.scroller').evaluate((e) => e.scrollTop);
  const SCROLLED = 900;
  await eventually(async () => {
    await page.locator('.scroller').evaluate((e, y) => e.scrollTo(0, y), SCROLLED);
    return Math.abs((await top()) - SCROLLED) < 2;
  });
  await page.evaluate(() => {
    window.most = 0;
    const look = () => (window.most = Math.max(window.most, document.querySelectorAll('.utterance').length));
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  const pdf = await page.pdf({ format: 'A4' });
  assert.equal(await page.evaluate(() => window.most), 100);
  assert.ok(pagesOf(pdf) >= 3);
  await page.emulateMedia({ media: 'print' });
  await eventually(async () => (await drawn()) === 100);
  await eventually(async () => (await page.locator(`${controls}:visible`).count()) === 0);
  await picture(page, 'transcript-paper');
  await page.emulateMedia({ media: 'screen' });
  await eventually(async () => (await drawn()) < 100 && Math.abs((await top()) - SCROLLED) < 100);
});
