// Long and hostile transcripts.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, figure, heading, person, quiet, spoken, visit, within } from './harness.js';

const WORDS = 60_000;
const DRAWN = 80; // the maximum number of turns in the document, of three thousand

test('60,000 words load quickly, scroll smoothly and can be searched while typing', async (t) => {
  const page = await visit(t);
  const one = await person('Long');
  const project = await one.project('The card statement is pasted every morning.');
  const id = await one.upload(project, 'long.txt', spoken(WORDS) + 'Dana: The very last words are these.\n');
  await enter(page, one);
  const began = Date.now();
  await page.goto(`${page.url()}imports/${id}`.replace(/([^:])\/\//, '$1/'));
  await page.locator('.utterance').first().waitFor();
  const shown = Date.now() - began;
  const scroller = page.getByRole('region', { name: 'Transcript, scrollable' });
  const turns = Number((await page.getByText(/^[\d,]+ turns$/).textContent()).replace(/\D/g, ''));
  assert.equal(turns, WORDS / 20 + 1);

  await t.test('while scrolling, the document contains all visible turns and few others', async () => {
    assert.ok(await scroller.evaluate((element) => element.scrollHeight > 50 * element.clientHeight));
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const worked = async () =>
      (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value *
      1000;
    const before = await worked();
    const { frames, blank, most } = await scroller.evaluate(async (box) => {
      const times = [];
      let [blanks, drawn] = [0, 0];
      let last = await new Promise(requestAnimationFrame);
      for (let i = 0; i < 240; i++) {
        box.scrollTop += 180; // a fast mouse wheel
        const now = await new Promise(requestAnimationFrame);
        times.push(now - last);
        last = now;
        drawn = Math.max(drawn, document.querySelectorAll('.utterance').length);
        const { left, top, width, height } = box.getBoundingClientRect();
        for (const part of [0.1, 0.5, 0.9])
          if (!document.elementFromPoint(left + width / 2, top + height * part)?.closest('.utterance'))
            blanks++;
      }
      return { frames: times.sort((a, b) => a - b), blank: blanks, most: drawn };
    });
    const work = Math.round((((await worked()) - before) / frames.length) * 10) / 10;
    const at = (part) => Math.round(frames[Math.floor((frames.length - 1) * part)] * 10) / 10;
    figure(
      t,
      `60,000 words: first turns after ${shown} ms; frames while scrolling: median ${at(0.5)} ms, ` +
        `95 % within ${at(0.95)} ms, longest ${at(1)} ms; ${work} ms of the processor a frame; ` +
        `${blank} of 720 looks met a blank; at most ${most} turns in the document (limit ${DRAWN})`,
    );
    assert.ok(most <= DRAWN, `${most} turns are in the document`);
    assert.equal(blank, 0);
  });

  await t.test('the keyboard scrolls to the end and the begin', async () => {
    await scroller.focus();
    await page.keyboard.press('End');
    await page.getByText('The very last words are these.').waitFor();
    await page.keyboard.press('Home');
    await page.getByText('In week 0 ').waitFor();
  });

  await t.test('words are found anywhere and marked', async () => {
    await page.getByLabel('Find in the transcript').fill('very last words');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    const mark = page.locator('mark.find');
    await mark.waitFor();
    await within(mark, scroller);
    await page.getByLabel('Find in the transcript').fill('week 77 ');
    await page.getByText('In week 77 ').waitFor();
    await page.getByLabel('Find in the transcript').fill('nobody said this');
    await page.getByText('not found', { exact: true }).waitFor();
    await page.getByLabel('Find in the transcript').fill('and'); // not all of them are looked for
    await page.getByText('1 of 1000+', { exact: true }).waitFor();
  });
});

test('a quote far down is shown at its place', async (t) => {
  const page = await visit(t);
  const one = await person('Far');
  const project = await one.project('Something');
  const text = spoken(WORDS) + 'Omar: Here it is at last, the quote.\nDana: Thank you.\n';
  const id = await one.upload(project, 'far.txt', text);
  const [stored] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: id,
    quote: 'Here it is at last',
  });
  await enter(page, one, `/imports/${id}?e=${stored.id}`);
  const mark = page.locator('mark.selected');
  await mark.waitFor();
  await within(mark, page.locator('.scroller'));
});

test('a hostile transcript is displayed as text in every view', async (t) => {
  const page = await visit(t);
  const one = await person('Hostile');
  const project = await one.project('<img src=x onerror="window.owned = 1"> costs money');
  const long = 'w'.repeat(200_000);
  const text = [
    '<b>Mallory</b><script>window.owned = 2</script>: <script>window.owned = 3</script> ' +
      '<img src=x onerror="window.owned = 4"> <a href="javascript:window.owned=5">costs money</a>',
    '\u202eyrollaM\u202c: \u202eyenom stsoc\u202c and \u2066isolated\u2069 \u200b zero',
    `Dana: ${long}`,
    'Omar: {{constructor.constructor("window.owned = 6")()}} ${window.owned = 7} &lt;i&gt; costs money',
  ].join('\n');
  const id = await one.upload(project, '<svg onload="window.owned = 8">.txt', text);
  await one.parse(project, id);
  await enter(page, one, `/imports/${id}`);
  await page.locator('.utterance').first().waitFor();
  await page.getByText('<script>window.owned = 3</script>').first().waitFor();
  for (const path of [
    `/imports/${id}`,
    `${project.path}/interviews`,
    `${project.path}/evidence`,
    project.path,
  ]) {
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await quiet(page);
    assert.equal(await page.evaluate(() => window.owned), undefined, path);
    assert.equal(
      await page.locator('main :is(script, img, iframe, object, svg[onload], b b)').count(),
      0,
      path,
    );
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      `${path} is wider than the window`,
    );
  }
  // Text with another direction does not affect the text beside it.
  await page.goto(new URL(`/imports/${id}`, page.url()).href);
  await page.locator('.utterance').first().waitFor();
  for (const element of await page.locator('.text, .who b').all())
    assert.equal(await element.evaluate((e) => getComputedStyle(e).unicodeBidi), 'isolate');
  await heading(page, /svg onload/).waitFor();
});
