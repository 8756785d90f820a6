// The card of an interview that says who spoke and what was asked.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { enter, eventually, gone, person, picture, visit, within } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const checked = async (page) => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
    [],
  );
};

const filler = Array.from(
  { length: 12 },
  (_, i) =>
    `Ana: In week ${i} we exported the card statement and pasted it in.\n` +
    `Ben: I see – week ${i}, and then?\n`,
).join('');
const text =
  'Ben: Où est-ce que vous gardez les reçus? I mean: where do you keep receipts?\n' +
  'Ana: In a shoe box under the desk.\n' +
  filler +
  'Ben: Would you pay for a tool that files them? You do hate the shoe box, don’t you?\n' +
  'Ana: Sure, I would.\n';

const speaker = (label, role, words) => ({ speaker: label, displayName: label, role, words });

// ledIn returns how an interview with these utterances is led.
function ledIn(utterances) {
  const asking = (words, kinds) => {
    const u = utterances.find((one) => one.text.includes(words));
    const byteStart = u.byte_start + Buffer.byteLength(u.text.slice(0, u.text.indexOf(words)));
    return {
      ordinal: u.ordinal,
      byteStart,
      byteEnd: byteStart + Buffer.byteLength(words),
      speaker: 'Ben',
      text: words,
      open: false,
      closed: false,
      past: false,
      hypothetical: false,
      leading: false,
      ...kinds,
    };
  };
  return {
    language: 'en',
    words: 300,
    interviewerWords: 135,
    participantWords: 165,
    otherWords: 0,
    speakers: [speaker('Ana', 'participant', 165), speaker('Ben', 'interviewer', 135)],
    longest: { from: 26, to: 26, words: 17, ms: null },
    questions: [
      asking('where do you keep receipts?', { open: true }),
      asking('Would you pay for a tool that files them?', { closed: true, hypothetical: true }),
      asking('You do hate the shoe box, don’t you?', { closed: true, leading: true }),
    ],
    planned: [
      { questionId: '1', hypothesisId: null, text: 'Where are receipts kept?', asked: [0] },
      { questionId: '2', hypothesisId: null, text: 'When was the last time you lost one?', asked: [] },
    ],
  };
}

// answered has the page get these answers about how an interview is led, the last one from then on. It
// returns how often the page has asked.
async function answered(page, ...answers) {
  const asked = { times: 0 };
  await page.route('**/api/import/*/craft', (route) => {
    const answer = answers[Math.min(asked.times++, answers.length - 1)];
    return answer ? route.fulfill({ json: answer }) : route.fulfill({ status: 500, json: {} });
  });
  return asked;
}

// interviewed returns somebody with an interview in which Ben asks.
async function interviewed(name) {
  const one = await person(name);
  const project = await one.project('Receipts take long.');
  const id = await one.upload(project, 'ana.txt', text);
  await one.call('PATCH', `/rest/v1/import_speakers?import_id=eq.${id}&speaker=eq.Ben`, {
    role: 'interviewer',
  });
  const utterances = await one.call(
    'GET',
    `/rest/v1/utterances?import_id=eq.${id}&select=ordinal,text,byte_start&order=ordinal`,
  );
  return { one, project, id, led: ledIn(utterances) };
}

const card = (page) => page.locator('details.craft');
const open = (page) => card(page).getByText('Who spoke, and what was asked').click();
const transcript = (page) => page.getByRole('region', { name: 'Transcript, scrollable' });

test('an interview says who spoke, and what was asked where', async (t) => {
  const { one, id, led } = await interviewed('Asker');
  const page = await visit(t);
  await answered(page, led);
  await enter(page, one, `/imports/${id}`);
  await card(page).getByText('45% by the interviewer, 3 questions').waitFor();
  await open(page);
  await card(page).getByText('Ben interviewer').waitFor();

  await t.test('each number has its places, which open in the transcript', async () => {
    await card(page).getByRole('button', { name: '1 leading' }).press('Enter');
    const list = card(page).getByRole('list', { name: 'leading questions' });
    assert.equal(await list.getByRole('button').count(), 1);
    await list.getByRole('button', { name: /^You do hate the shoe box/ }).press('Enter');
    const marked = page.locator('mark.find');
    await marked.waitFor();
    assert.equal(await marked.textContent(), 'You do hate the shoe box, don’t you?');
    await within(marked, transcript(page));
    await picture(page, 'craft');
    await card(page).getByRole('button', { name: '3 questions' }).click();
    assert.equal(
      await card(page).getByRole('list', { name: 'questions', exact: true }).getByRole('button').count(),
      3,
    );
    await card(page)
      .getByRole('list', { name: 'questions', exact: true })
      .getByRole('button', { name: /^where do you keep receipts/ })
      .click();
    await eventually(async () => (await marked.textContent()) === 'where do you keep receipts?');
    await within(marked, transcript(page));
    await checked(page);
  });

  await t.test('also the longest stretch, and again after scrolling away', async () => {
    const stretch = card(page).getByRole('button', { name: '17 words longest without Ana turn 27' });
    for (let time = 0; time < 2; time++) {
      await stretch.click();
      await within(page.locator('.turn.placed'), transcript(page));
      await transcript(page).press('Home');
      await within(page.locator('[data-at="0"]'), transcript(page));
    }
  });

  await t.test('what was planned was asked, or was not found', async () => {
    await card(page).getByText('1 of 2 planned questions found').waitFor();
    const planned = card(page).locator('.planned li');
    await planned.nth(1).getByText('not found').waitFor();
    await planned
      .nth(0)
      .getByRole('button', { name: /^where do you keep receipts/ })
      .click();
    await within(page.locator('mark.find'), transcript(page));
  });

  await t.test('in the dark, on a phone and on paper', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await checked(page);
    await picture(page, 'craft-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 844 });
    await card(page).getByRole('button', { name: '1 hypothetical' }).click();
    await card(page).scrollIntoViewIfNeeded();
    await picture(page, 'craft-narrow');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await checked(page);
    await card(page).getByRole('list', { name: 'hypothetical questions' }).getByRole('button').click();
    await eventually(async () => {
      const { y } = await page.locator('mark.find').boundingBox();
      return y >= 0 && y < 844;
    });
    await page.setViewportSize({ width: 1280, height: 860 });
    await open(page); // closed on the screen, whole on paper
    await page.emulateMedia({ media: 'print' });
    await card(page).getByText('3 questions', { exact: false }).last().waitFor();
    await card(page).scrollIntoViewIfNeeded();
    await picture(page, 'craft-print');
    await page.emulateMedia({ media: 'screen' });
    await card(page).locator('.figures').waitFor({ state: 'hidden' });
  });
});

test('what is not known of an interview is said', async (t) => {
  const { one, id, led } = await interviewed('Unsure');
  const visited = async (answer) => {
    const page = await visit(t);
    await answered(page, ...[answer].flat());
    await enter(page, one, `/imports/${id}`);
    await open(page);
    return page;
  };

  await t.test('a language without word lists has shares only', async () => {
    const page = await visited({ ...led, language: '', questions: [], planned: [] });
    await card(page)
      .getByText('Questions are not recognised in this language; only shares are counted.')
      .waitFor();
    assert.equal(await card(page).locator('summary .faint').textContent(), '45% by the interviewer');
    assert.equal(await card(page).locator('.figures, .planned').count(), 0);
  });

  await t.test('without an interviewer, it asks who that is', async () => {
    const nobody = {
      ...led,
      interviewerWords: null,
      longest: null,
      questions: [],
      planned: [{ ...led.planned[1] }],
      speakers: [speaker('Ana', 'participant', 165), speaker('Ben', 'participant', 135)],
    };
    const page = await visit(t);
    const asked = await answered(page, nobody, led);
    await enter(page, one, `/imports/${id}`);
    await open(page);
    await card(page).getByText('Nobody is marked as interviewer, so').waitFor();
    await checked(page);
    await picture(page, 'craft-nobody');
    await card(page).getByRole('button', { name: 'Say who asks the questions' }).click();
    const dialog = page.getByRole('dialog', { name: 'Speakers' });
    await dialog.getByRole('textbox').first().fill('Anna');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await gone(dialog);
    await card(page).getByText('45% by the interviewer, 3 questions').waitFor();
    assert.equal(asked.times, 2);
  });

  await t.test('interviewers alone, several of them, silent people and nameless words', async () => {
    const page = await visited({
      ...led,
      participantWords: null,
      longest: null,
      otherWords: 30,
      more: true,
      speakers: [
        speaker('Ben', 'interviewer', 200),
        speaker('Ana', 'interviewer', 70),
        speaker('Cem', 'other', 0),
      ],
    });
    await card(page).getByText('Nobody is marked as a participant.').waitFor();
    await card(page).getByText('said nothing').waitFor();
    await card(page).getByText('Without a name').waitFor();
    await card(page).getByText('45% by interviewers, 3 questions and more').waitFor();
    await card(page).getByText('Only the first 3 are counted.').waitFor();
    await card(page).getByRole('button', { name: '3+ questions' }).click();
    await card(page).getByText('Ben, turn 27').first().waitFor();
    assert.equal(await card(page).getByText('longest without').count(), 0);
  });

  await t.test('a failure is told, and it can be tried again', async () => {
    const page = await visited([null, led]);
    await card(page).getByRole('button', { name: 'Try again' }).click();
    await card(page).getByText('45% by the interviewer, 3 questions').waitFor();
  });
});

test('the card follows corrections', async (t) => {
  const { one, id, led } = await interviewed('Corrector');
  const page = await visit(t);
  const asked = await answered(page, led, { ...led, interviewerWords: 60 });
  await enter(page, one, `/imports/${id}`);
  await card(page).getByText('45% by the interviewer').waitFor();
  await page.getByRole('button', { name: 'Correct this turn by Ana' }).first().press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Correct this turn' });
  await dialog.getByLabel('Words').fill('In a shoe box.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await gone(dialog);
  await card(page).getByText('20% by the interviewer').waitFor();
  assert.equal(asked.times, 2);
});

test('an analysis ends with the speakers that others have named meanwhile', async (t) => {
  const { one, project, id, led } = await interviewed('Patient');
  const page = await visit(t);
  await answered(page, led, { ...led, interviewerWords: 60 });
  await enter(page, one, `/imports/${id}`);
  await card(page).getByText('45% by the interviewer').waitFor();
  const [anna] = await one.call('POST', '/rest/v1/participants', {
    project_id: project.id,
    name: 'Anna Weber',
  });
  await one.call('PATCH', `/rest/v1/import_speakers?import_id=eq.${id}&speaker=eq.Ana`, {
    participant_id: anna.id,
  });
  await one.parse(project, id);
  await card(page).getByText('20% by the interviewer').waitFor();
  await transcript(page).getByText('Anna Weber').first().waitFor();
});
