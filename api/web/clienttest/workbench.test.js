// The transcript as a workbench: selections, the popover beside them, marks, and a recording.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, gone, person, picture, quiet, visit } from './harness.js';

const vtt =
  'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n<v Dana>How do you file receipts?\n\n' +
  '00:00:02.000 --> 00:00:04.000\n<v Omar>We wait nine days, and nobody minds the waiting.\n\n' +
  '00:00:04.000 --> 00:00:30.000\n<v Omar>Then we throw them away.\n';

// tone returns a WAV file of this many seconds.
function tone(seconds) {
  const rate = 8000;
  const file = Buffer.alloc(44 + seconds * rate, 128);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + seconds * rate, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36);
  file.writeUInt32LE(seconds * rate, 40);
  return file;
}

async function opened(t, options) {
  const page = await visit(t, options);
  const one = await person('Works');
  const project = await one.project('Nobody minds waiting.', 'Receipts are filed.', 'Somebody pays.');
  const id = await one.upload(project, 'omar.vtt', vtt);
  await enter(page, one, `/imports/${id}`);
  await page.getByText('We wait nine days').waitFor();
  return { page, one, project, id };
}

// select selects letters of a turn, as the mouse does.
const select = (page, turn, from, to) =>
  page.evaluate(
    ([n, a, b]) => {
      const node = document.querySelectorAll('.utterance .text')[n].firstChild;
      document.getSelection().setBaseAndExtent(node, a, node, b);
    },
    [turn, from, to],
  );

const popover = (page) => page.getByRole('dialog', { name: 'Add as evidence' });

test('a selection has whole words, and the popover beside it does not cover it', async (t) => {
  const { page, one, id, project } = await opened(t);
  await select(page, 1, 5, 14); // "it nine d"
  await popover(page).waitFor();
  assert.equal(await page.evaluate(() => document.getSelection().toString()), 'wait nine days'.slice(0, 14));
  const covers = async () => {
    const words = await page.evaluate(() => {
      const { top, bottom } = document.getSelection().getRangeAt(0).getBoundingClientRect();
      return { top, bottom };
    });
    const over = await popover(page).boundingBox();
    return over.y < words.bottom && over.y + over.height > words.top;
  };
  await eventually(async () => !(await covers()));
  await picture(page, 'popover');

  // By keyboard: several hypotheses at once, each with its stance.
  await page.keyboard.press('h');
  const group = (name) => popover(page).getByRole('group', { name });
  await eventually(() =>
    group('Nobody minds waiting.')
      .getByRole('button', { name: 'For' })
      .evaluate((b) => b === document.activeElement),
  );
  await page.keyboard.press('Enter');
  await group('Receipts are filed.').getByRole('button', { name: 'Against' }).press('Enter');
  await popover(page).getByRole('button', { name: 'Add to 2 hypotheses' }).press('Enter');
  await gone(popover(page));
  await page.locator('mark.selected').waitFor();
  const [stored] = await one.call(
    'GET',
    `/rest/v1/evidence?import_id=eq.${id}` +
      '&select=quote,match,review,evidence_hypotheses(hypothesis_id,stance)',
  );
  assert.deepEqual([stored.quote, stored.match, stored.review], ['wait nine days', 'verbatim', 'accepted']);
  assert.deepEqual(
    new Map(stored.evidence_hypotheses.map((l) => [l.hypothesis_id, l.stance])),
    new Map([
      [project.hypotheses[0].id, 'supports'],
      [project.hypotheses[1].id, 'contradicts'],
    ]),
  );
});

test('words that are selected before the speakers have their names get the popover too', async (t) => {
  const page = await visit(t);
  const one = await person('Early');
  const project = await one.project('Nobody minds waiting.');
  const id = await one.upload(project, 'omar.vtt', vtt);
  let release;
  const selected = new Promise((resolve) => (release = resolve));
  await page.route('**/rest/v1/import_speakers?*', async (route) => {
    await selected;
    await route.continue();
  });
  await enter(page, one, `/imports/${id}`);
  await page.getByText('We wait nine days').waitFor();
  await select(page, 1, 5, 14);
  release();
  await popover(page).waitFor();
});

test('the popover stays beside its words when sizes change and the page is scrolled', async (t) => {
  const { page } = await opened(t, { width: 1280, height: 900 });
  const gap = () =>
    page.evaluate(() => {
      const words = document.getSelection().getRangeAt(0).getBoundingClientRect();
      const over = document.querySelector('.popover').getBoundingClientRect();
      return { across: Math.round(over.left - words.left), down: Math.round(over.top - words.bottom) };
    });
  await select(page, 1, 3, 14);
  await popover(page).waitFor();
  const beside = JSON.stringify({ across: 0, down: 8 });
  for (const width of [1280, 1700, 1100, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await eventually(async () => JSON.stringify(await gap()) === beside);
  }

  // In narrow windows the page is scrolled, not only the transcript.
  await page.setViewportSize({ width: 700, height: 520 });
  await quiet(page);
  const { y } = await popover(page).boundingBox();
  await page.evaluate(() => window.scrollBy(0, 60));
  await eventually(async () => (await popover(page).boundingBox()).y !== y);
  await eventually(async () => {
    const { down } = await gap();
    const { height } = await popover(page).boundingBox();
    return down === 8 || down < -height; // below or above its words
  });

  // The popover of a turn's button follows too.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Quote this turn by Dana' }).press('Enter');
  const left = async () => {
    const turn = await page.locator('.turn').first().boundingBox();
    return Math.round((await popover(page).boundingBox()).x - turn.x);
  };
  await eventually(async () => (await left()) === 0);
  await page.setViewportSize({ width: 1000, height: 900 });
  await eventually(async () => (await left()) === 0);
});

test('stance and hypothesis of a mark are told apart without colour', async (t) => {
  const { page, one, project, id } = await opened(t);
  for (const [i, quote, stance] of [
    [0, 'nobody minds the waiting', 'supports'],
    [1, 'throw them away', 'contradicts'],
  ]) {
    const [e] = await one.call('POST', '/rest/v1/evidence', { project_id: project.id, import_id: id, quote });
    await one.call('POST', '/rest/v1/evidence_hypotheses', {
      evidence_id: e.id,
      hypothesis_id: project.hypotheses[i].id,
      stance,
    });
  }
  await page.reload();
  const mark = (text) => page.locator('mark').filter({ hasText: text });
  await mark('throw them away').waitFor();
  const look = (text) =>
    mark(text).evaluate((m) => [m.dataset.label, m.title, getComputedStyle(m).textDecorationStyle]);
  assert.deepEqual(await look('nobody minds'), ['▲1', 'Supports: hypothesis 1', 'solid']);
  assert.deepEqual(await look('throw them away'), ['▼2', 'Contradicts: hypothesis 2', 'double']);
  assert.equal(await mark('throw them away').textContent(), 'throw them away');
  await picture(page, 'marks');
});

test('a recording of the user is played, and stays in the browser', async (t) => {
  const { page } = await opened(t);
  const sent = [];
  page.on('request', (r) => r.method() !== 'GET' && sent.push(r.url()));
  await page
    .locator('.player input[type=file]')
    .setInputFiles({ name: 'omar.wav', mimeType: 'audio/wav', buffer: tone(30) });
  const audio = page.locator('audio');
  await eventually(() => audio.evaluate((a) => a.readyState >= 2));
  await audio.evaluate((a) => (a.playbackRate = 0.1)); // the second turn lasts twenty seconds, and is seen
  assert.match(await audio.evaluate((a) => a.src), /^blob:/);

  await page.getByRole('button', { name: 'Play from 0:02' }).click();
  await page.locator('.turn.spoken').getByText('We wait nine days').waitFor();
  assert.equal(await page.locator('[aria-current="true"].turn').count(), 1);
  await picture(page, 'player');
  await page.locator('.scroller').focus();
  await page.keyboard.press('p');
  await eventually(() => audio.evaluate((a) => a.paused));
  const before = await audio.evaluate((a) => a.currentTime);
  await page.keyboard.press('.');
  await eventually(() => audio.evaluate((a, b) => Math.abs(a.currentTime - b - 5) < 0.1, before));
  await page.locator('.turn.spoken').getByText('Then we throw').waitFor();
  await page.keyboard.press(',');
  await eventually(() => audio.evaluate((a, b) => Math.abs(a.currentTime - b) < 0.1, before));
  await page.keyboard.press('p');
  await eventually(() => audio.evaluate((a) => !a.paused));
  assert.deepEqual(sent, []);

  await page
    .locator('.player input[type=file]')
    .setInputFiles({ name: 'broken.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('nothing') });
  await page.getByText('This browser cannot play the file.').waitFor();
  await gone(audio);
});

test('on a phone, the popover fits beside the words', async (t) => {
  const { page } = await opened(t, { width: 390, height: 844 });
  await select(page, 1, 3, 6);
  await popover(page).waitFor();
  await quiet(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const { x, width } = await popover(page).boundingBox();
  assert.ok(x >= 0 && x + width <= 390);
  await picture(page, 'popover-narrow');
});
