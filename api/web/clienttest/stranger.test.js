// Files as strangers bring them, read by the service itself: a few keys lead from the drop to the right
// names.
import assert from 'node:assert/strict';
import test from 'node:test';
import { drop, enter, eventually, figure, heading, person, visit } from './harness.js';

const letterhead =
  'Harbour Archive, 3 Quay Yard, Port Ellen\n' +
  'Telephone: 01496 000 000   E-mail: desk@example.org   Web: www.example.org\n';
const files = {
  'a contact block': {
    name: 'archive.txt',
    text:
      `Thank you for downloading this interview with Nell Harms\n\n${letterhead}\n` +
      'Name: Nell Harms\nTrade: Sailmaker\n\n' +
      '00:00:05   Tell me how you came to make sails?\n\n' +
      'My mother did it, and I swept the loft. At twelve I could sew a seam.\n\n' +
      '00:02:21   And what was the loft like?\n\nLong, and cold. We wore our coats until May.\n\n' +
      `00:04:10   Would you do it again?\n\nI would, with a stove.\n\n${letterhead}`,
    question: 'Telephone',
    keys: ['n', 'Enter', 'Enter'], // the questions are another voice, which nothing names
    speakers: [''],
  },
  'questions without a label': {
    name: 'shop.txt',
    text:
      'I: How did you come to this work?\n\nR: By accident. My aunt had a shop.\n\n' +
      'And what did you do there?\n\nR: I counted the stock, and later I made the orders.\n\n' +
      'How do you make the orders today?\n\nR: On paper, still. The supplier wants a fax.\n\n' +
      'Would you change that?\n\nR: If it saved me the evening, yes.\n',
    question: /^3 lines without a label look like another voice/,
    keys: ['g', 'Enter'],
    speakers: ['I', 'R'],
    asked: 4,
  },
  'a label with a dash': {
    name: 'call.md',
    text:
      '## Notes of the call\n\n* JB: The export was merged on Monday.\n\n' +
      '* MT: The importer still needs a test.\n  * RD: There are two open questions about names.\n' +
      '  * KA: We should keep the shorter one.\n\n* MT: The licence is the permissive one.\n' +
      '  * RD: Then we can ship it.\n\n* JB - Managed storage - a proposal for small and for large teams, ' +
      'please read it before the next call\n  * RD: Small first, large later.\n' +
      '  * KA: And who may see the log?\n  * JB: We will write that down.\n',
    question: 'JB -',
    keys: ['s', 'Enter'],
    speakers: ['JB', 'KA', 'MT', 'RD'],
  },
};

for (const [kind, { name, text, question, keys, speakers, asked }] of Object.entries(files))
  test(`${kind} is settled by a few keys`, async (t) => {
    const page = await visit(t);
    const one = await person('Stranger');
    const project = await one.project('Strangers bring their own files.');
    await enter(page, one, `${project.path}/interviews`);
    await heading(page, 'Interviews').waitFor();
    const begun = Date.now();
    await drop(page, [[name, text]]);
    const group = page.getByRole('radiogroup', { name: question, exact: true });
    await eventually(() => group.evaluate((element) => element === document.activeElement));
    await page.keyboard.press(keys[0]);
    await page.getByText('Nothing is doubtful any more.').waitFor();
    for (const key of keys.slice(1)) await page.keyboard.press(key);
    const button = page.getByRole('button', { name: 'Import 1 interview', exact: true });
    await eventually(() => button.evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: name.replace(/\..*/, ''), exact: true }).waitFor();
    figure(t, `${kind}: ${keys.length + 1} keys, ${Date.now() - begun} ms from the drop to the interview`);
    const [{ id, needs_look: needsLook }] = await one.call(
      'GET',
      `/rest/v1/imports?project_id=eq.${project.id}&select=id,needs_look`,
    );
    assert.equal(needsLook, false);
    const turns = await one.call('GET', `/rest/v1/utterances?import_id=eq.${id}&select=speaker,text`);
    assert.deepEqual([...new Set(turns.map((turn) => turn.speaker))].sort(), speakers);
    if (asked) assert.equal(turns.filter((turn) => turn.speaker === speakers[0]).length, asked);
  });
