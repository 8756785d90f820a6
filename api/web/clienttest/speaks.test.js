// Who speaks in a file: the questions about its labels before it is imported, by keyboard and for many files.
import assert from 'node:assert/strict';
import test from 'node:test';
import { drop, enter, eventually, gone, heading, person, picture, visit } from './harness.js';
import { label, scripted, settledBy } from './scripted.js';

const contact =
  'Telephone: 555 0134\nAddress: 12 Harbour Road\nNell: Where did the boats land?\nAda: By the old mill.\n' +
  'Nell: And in winter?\nAda: Nowhere.\n';
const labels = [
  label('Telephone', 'Telephone: 555 0134', {
    share: 0.97,
    doubt: 0.8,
    first: { before: '', line: 'Telephone: 555 0134', after: 'Address: 12 Harbour Road' },
  }),
  label('Address', 'Address: 12 Harbour Road', { doubt: 0.6 }),
  label('Ada W', 'Ada W - we all walked', { kind: 'nobody', doubt: 0.4, share: 0.05 }),
  label('Nell', 'Nell: Where did the boats land?', { count: 2 }),
  label('Ada', 'Ada: By the old mill.', { count: 2, share: 0.5 }),
];

// read doubts the labels of a contact block until they are answered.
const read = (file, decided) => {
  const now = settledBy(decided, labels);
  const needsLook = now.some(({ doubt }) => doubt > 0.1);
  return {
    needsLook,
    labels: now,
    confidence: needsLook ? 0.6 : 1,
    doubts: needsLook
      ? [{ ordinal: 0, speaker: 'Telephone', other: '', startMs: null, text: '555 0134', confidence: 0.5 }]
      : [],
    edges: { head: ['Telephone: 555 0134', 'Nell: Where did the boats land?'], tail: ['Ada: Nowhere.'] },
    speakers: ['Nell', 'Ada', ...(decided.nobody?.includes('Telephone') ? [] : ['Telephone'])],
  };
};

const speaks = (page) => page.getByRole('region', { name: 'Who speaks?' });
const question = (page, name) => page.getByRole('radiogroup', { name, exact: true });
const importing = (page, text) => page.getByRole('button', { name: `Import ${text}`, exact: true });
const focused = (locator) =>
  eventually(() => locator.evaluate((element) => element === document.activeElement));

async function opened(page, name) {
  const one = await person(name);
  const project = await one.project('Boats landed by the mill.');
  await enter(page, one, `${project.path}/interviews`);
  await heading(page, 'Interviews').waitFor();
  return { one, project };
}

test('labels that may be nobody are asked about, and answered by keyboard alone', async (t) => {
  const page = await visit(t);
  await opened(page, 'Labels');
  const sent = await scripted(page, read);
  await drop(page, [['contact.txt', contact]]);
  await speaks(page).getByText('1 turn is not certain.').waitFor();
  await picture(page, 'speaks-labels');
  await speaks(page).getByText('1 time, 97% of the words').waitFor();
  assert.deepEqual(
    await speaks(page).getByRole('radiogroup').locator('b').allTextContents(),
    ['Telephone', 'Address', 'Ada W'],
    'the most doubtful comes first, and who may be a person after those who are read as people',
  );
  await speaks(page).getByRole('heading', { name: 'These may be labels too' }).waitFor();
  await speaks(page).getByText('2 more labels are certain').waitFor();
  await importing(page, '1 interview without looking').waitFor();

  await focused(question(page, 'Telephone'));
  const keys = ['n', 'Enter', 'n', 'Enter', 's'];
  for (const key of keys) await page.keyboard.press(key);
  const other = page.getByRole('combobox', { name: 'The same person as Ada W' });
  await focused(other); // there are several people
  assert.equal(await other.inputValue(), 'Ada', 'the one whose name is its beginning');
  await speaks(page).getByText('Nothing is doubtful any more.').waitFor();
  await page.getByRole('textbox', { name: 'Telephone' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await focused(importing(page, '1 interview'));
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'contact', exact: true }).waitFor();
  const decided = { people: [], nobody: ['Telephone', 'Address'], same: { 'Ada W': 'Ada' } };
  assert.deepEqual(sent.real, [{ file: 'contact.txt', decided, speakers: '{}' }]);
});

test('the arrows lead to other labels, and what moves is not the focus', async (t) => {
  const page = await visit(t);
  await opened(page, 'Arrows');
  const sent = await scripted(page, read);
  await drop(page, [['contact.txt', contact]]);
  await focused(question(page, 'Telephone'));
  await page.keyboard.press('ArrowDown');
  await focused(question(page, 'Address'));
  await page.keyboard.press('p');
  await eventually(() => sent.dry.length === 2);
  await speaks(page).getByText('1 turn is not certain.').waitFor();
  await focused(question(page, 'Address'));
  await page.keyboard.press('Enter'); // the next one that is not answered
  await focused(question(page, 'Ada W'));
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await focused(question(page, 'Telephone'));
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight'); // within the choices
  assert.ok(await question(page, 'Telephone').getByRole('radio', { name: 'Nobody' }).isChecked());
});

test('of several answers in a row only the last one is read', async (t) => {
  const page = await visit(t);
  await opened(page, 'Newest');
  const sent = await scripted(page, read);
  await drop(page, [['contact.txt', contact]]);
  await focused(question(page, 'Telephone'));
  for (const key of ['n', 'p', 'n', 'p']) await page.keyboard.press(key);
  await eventually(() => sent.dry.length > 1);
  await speaks(page).getByText('1 turn is not certain.').waitFor();
  assert.deepEqual(
    sent.dry.slice(1).map(({ decided }) => decided),
    [{ people: ['Telephone'], nobody: [], same: {} }],
  );
});

test('everything can be right as it is', async (t) => {
  const page = await visit(t);
  await opened(page, 'Right');
  const sent = await scripted(page, read);
  await drop(page, [['contact.txt', contact]]);
  await page.getByRole('button', { name: 'It is right as it is' }).click();
  await importing(page, '1 interview').click();
  await page.getByRole('link', { name: 'contact', exact: true }).waitFor();
  assert.deepEqual(sent.real[0].decided, {
    people: ['Telephone', 'Address', 'Nell', 'Ada'],
    nobody: ['Ada W'],
    same: {},
  });
});

const questions =
  'R: We moved in spring.\nWhy in spring?\nR: The roads were dry.\nWho helped?\nR: My cousin did.\n';
const between = (file, decided) => {
  const speaker = decided.unlabelled ?? 'R';
  const sure = decided.unlabelled !== undefined;
  return {
    needsLook: !sure,
    labels: [label('R', 'R: We moved in spring.', { count: 3, share: 0.8 })],
    unlabelled: {
      count: 2,
      in: 'R',
      speaker,
      suggest: '',
      doubt: sure ? 0 : 0.7,
      first: { before: 'R: We moved in spring.', line: 'Why in spring?', after: 'R: The roads were dry.' },
    },
    doubts: sure
      ? []
      : [
          {
            ordinal: 1,
            speaker: 'R',
            other: 'Interviewer',
            startMs: 4000,
            text: 'Who helped?',
            confidence: 0.7,
          },
          { ordinal: 0, speaker: 'R', other: 'Interviewer', startMs: null, text: 'Why?', confidence: 0.6 },
        ],
    edges: { head: ['R: We moved in spring.', 'Why in spring?'], tail: ['R: My cousin did.'] },
    speakers: ['R', ...(speaker && speaker !== 'R' ? [speaker] : [])],
  };
};

test('lines without a label are given to somebody, or stay', async (t) => {
  const page = await visit(t);
  await opened(page, 'Lines');
  const sent = await scripted(page, between);
  await drop(page, [['spring.txt', questions]]);
  const lines = page.getByRole('radiogroup', { name: /^2 lines without a label look like another voice/ });
  await focused(lines);
  await picture(page, 'speaks-lines');
  assert.deepEqual(await speaks(page).locator('.doubts .text').allTextContents(), [
    'Why?',
    '0:04 Who helped?',
  ]);
  await speaks(page).getByText('R, or Interviewer?').first().waitFor();
  await page.keyboard.press('g');
  await speaks(page).getByText('Nothing is doubtful any more.').waitFor();
  await focused(lines);
  const last = () => sent.dry.at(-1).decided.unlabelled;
  assert.equal(last(), 'Interviewer');
  await page.getByRole('textbox', { name: 'Interviewer' }).waitFor();

  await lines.getByLabel('Who says them').fill('Bo');
  await eventually(() => last() === 'Bo');
  await lines.focus();
  await page.keyboard.press('k');
  await eventually(() => last() === 'R');
  await page.keyboard.press('n');
  await eventually(() => last() === '');
});

test('one key settles a doubtful turn, and all like it', async (t) => {
  const page = await visit(t);
  await opened(page, 'Turns');
  const sent = await scripted(page, between);
  await drop(page, [['spring.txt', questions]]);
  const turn = page.getByRole('group', { name: 'R, or Interviewer? Why?' });
  await turn.focus();
  await page.keyboard.press('2');
  await speaks(page).getByText('Nothing is doubtful any more.').waitFor();
  assert.equal(sent.dry.at(-1).decided.unlabelled, 'Interviewer');
  assert.ok(await speaks(page).evaluate((element) => element.contains(document.activeElement)));
});

test('the interview begins and ends at chosen lines', async (t) => {
  const page = await visit(t);
  await opened(page, 'Edges');
  const sent = await scripted(page, between);
  await drop(page, [['spring.txt', questions]]);
  await page.getByText('Where the interview begins and ends').click();
  await page
    .getByRole('group', { name: 'The interview begins at' })
    .getByRole('radio', { name: 'Why in spring?' })
    .check();
  await eventually(() => sent.dry.at(-1).decided.from === 'Why in spring?');
  await page.getByRole('group', { name: 'The interview ends at' }).getByRole('radio').nth(1).check();
  await eventually(() => sent.dry.at(-1).decided.to === 'R: My cousin did.');
  await page.getByRole('radio', { name: 'The first line' }).check();
  await eventually(() => sent.dry.at(-1).decided.from === undefined);
});

test('answers of earlier files are shown, and can be changed', async (t) => {
  const page = await visit(t);
  await opened(page, 'Earlier');
  const sent = await scripted(page, (file, decided) => ({
    labels: settledBy(decided, [
      label('Telephone', 'Telephone: 555 0134', { kind: 'nobody' }),
      label('Ada', 'Ada: By the old mill.'),
    ]),
    remembered: ['Telephone'],
  }));
  await drop(page, [['contact.txt', contact]]);
  await importing(page, '1 interview').waitFor(); // nothing is asked
  await page.getByText('2 labels are certain, 1 as in earlier files').click();
  const one = question(page, 'Telephone');
  await one.getByText('as in earlier files').waitFor();
  await one.getByRole('radio', { name: 'A person' }).check();
  await eventually(() => sent.dry.at(-1).decided.people?.includes('Telephone'));
  await gone(one.getByText('as in earlier files'));
});

test('an answer that could not be read is said, and read when the connection is back', async (t) => {
  const page = await visit(t);
  await opened(page, 'Offline');
  await scripted(page, read);
  await drop(page, [['contact.txt', contact]]);
  await focused(question(page, 'Telephone'));
  await page.context().setOffline(true);
  await page.unroute('**/api/import?dry_run=true');
  await page.keyboard.press('n');
  await speaks(page).getByRole('alert').getByText('The server cannot be reached.').waitFor();
  await page.context().setOffline(false);
  await scripted(page, read);
  await speaks(page).getByRole('button', { name: 'Try again' }).click();
  await gone(speaks(page).getByRole('alert'));
  assert.ok(await question(page, 'Telephone').getByRole('radio', { name: 'Nobody' }).isChecked());
});

test('ten files of one template need one answer, and certain ones do not wait', async (t) => {
  const page = await visit(t);
  const { one, project } = await opened(page, 'Template');
  const sent = await scripted(page, (file, decided) => {
    if (file === 'sure.txt') return { labels: [label('Ada', 'Ada: x')] };
    const now = settledBy(decided, [label('Tel', 'Tel: 555', { doubt: 0.7 }), label('Ada', 'Ada: x')]);
    return { needsLook: now[0].doubt > 0, labels: now };
  });
  const files = Array.from({ length: 10 }, (_, i) => [`form ${i}.txt`, `Tel: 555 01${i}\nAda: We wait.\n`]);
  await drop(page, [...files, ['sure.txt', 'Ada: We never wait.\nNell: Why?\n']]);
  await page.getByText('10 files need a look.').waitFor();
  await picture(page, 'speaks-many');
  assert.equal(await page.locator('.look').count(), 0, 'nothing is open before it is asked for');
  await importing(page, '1 interview').click(); // the certain one
  await page.getByRole('link', { name: 'sure', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Look at the first' }).focus();
  await page.keyboard.press('Enter');
  await focused(question(page, 'Tel'));
  for (const key of ['n', 'Enter']) await page.keyboard.press(key);
  await focused(page.getByRole('button', { name: 'Next file' }));
  await speaks(page).getByText('Nothing is doubtful any more.').waitFor();
  await page.keyboard.press('Enter');
  await importing(page, '10 interviews').waitFor();
  await focused(importing(page, '10 interviews'));
  await page.keyboard.press('Enter');
  await eventually(
    async () =>
      (await one.call('GET', `/rest/v1/imports?project_id=eq.${project.id}&select=id`)).length === 11,
  );
  assert.ok(sent.real.slice(1).every(({ decided }) => decided.nobody.includes('Tel')));
});

test('lines of an observer are asked about, and are nobody’s words by default', async (t) => {
  const page = await visit(t);
  const { one } = await opened(page, 'Notes');
  const said = (name) =>
    one
      .call('GET', `/rest/v1/utterances?select=speaker,text,imports!inner(title)&imports.title=eq.${name}`)
      .then((rows) => rows.filter(({ text }) => /annoyed/.test(text)).map(({ speaker }) => speaker));
  const call = (more) =>
    `Tomas: How do you plan?\n\nDave: On paper.${more}\n\nTOMAS NOTE: she looks annoyed\n\n` +
    'Tomas: And then?\n\nDave: People swap.\n\n'.repeat(9);
  await drop(page, [['dave.txt', call('')]]);
  const notes = speaks(page).getByRole('list', { name: 'Are these an observer’s notes?' });
  await notes.getByText('TOMAS NOTE', { exact: true }).first().waitFor();
  assert.ok(await notes.getByRole('radio', { name: 'Notes, nobody’s words' }).isChecked());
  await picture(page, 'speaks-notes');
  await speaks(page).getByRole('button', { name: 'It is right as it is' }).click();
  await importing(page, '1 interview').click();
  await page.getByRole('link', { name: 'dave', exact: true }).waitFor();
  assert.deepEqual(await said('dave'), ['']);

  await drop(page, [['erin.txt', call(' Every week.')]]);
  await notes.getByRole('radio', { name: 'Somebody who speaks' }).check();
  await speaks(page).getByText('Nothing is doubtful any more.').waitFor();
  await importing(page, '1 interview').click();
  await page.getByRole('link', { name: 'erin', exact: true }).waitFor();
  assert.deepEqual(await said('erin'), ['TOMAS NOTE']);
});
