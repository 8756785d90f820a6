// A small study from nothing: twelve interviews become five themes and a hypothesis, with the keyboard alone.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  base,
  enter,
  eventually,
  figure,
  heading,
  keepMessages,
  person,
  picture,
  quiet,
  visit,
} from './harness.js';

const themes = ['Unfair tips', 'Guilt', 'Favourites', 'Family as plan B', 'Holiday pay'];

// What people say, by the theme: each interview has the turns of some of them.
const said = [
  'The tips go into one jar, and the loud ones take most of it.',
  'She always says yes when I ask her, and I feel guilty for a week.',
  'The owner gives the good shifts to whoever he likes.',
  'When nobody comes, my sister does, or my mother.',
  'Nobody has ever told me what I get for my holidays.',
];
const names = ['Ada', 'Ben', 'Cem', 'Dora', 'Emil', 'Fay', 'Gus', 'Hana', 'Ivo', 'Jo', 'Kai', 'Lea'];
const about = names.map((_, i) => [i % 5, (i + 2) % 5].sort((a, b) => a - b)); // two themes each

const interview = (i) =>
  [
    'Q: Tell me about last week.',
    `${names[i]}: It was a week like others, number ${i + 1}.`,
    ...about[i].flatMap((theme, j) => [
      j ? 'Q: What else?' : 'Q: What was hard?',
      `${names[i]}: ${said[theme]}`,
    ]),
    'Q: Thank you.',
  ].join('\n') + '\n';

test('twelve interviews become five themes and a finding, without a mouse', async (t) => {
  const page = await visit(t, { width: 1440, height: 900 });
  await keepMessages(page);
  const one = await person('Studies');
  const project = await one.project();
  const ids = [];
  for (let i = 0; i < names.length; i++)
    ids.push(await one.upload(project, `${String(i + 1).padStart(2, '0')}-${names[i]}.txt`, interview(i)));
  await one.call('PATCH', `/rest/v1/import_speakers?project_id=eq.${project.id}&speaker=eq.Q`, {
    role: 'interviewer',
  });
  let keys = 0;
  const press = async (...all) => {
    for (const key of all) {
      keys++;
      await page.keyboard.press(key);
    }
  };
  const type = async (text) => {
    keys += text.length;
    await page.keyboard.type(text);
  };
  const focused = () => page.evaluate(() => document.activeElement.closest('.utterance')?.dataset.at);
  const tabTo = async (name, role = 'link') => {
    for (let i = 0; i < 60; i++) {
      await press('Tab');
      const there = page.getByRole(role, { name, exact: true }).first();
      if (await there.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    }
    assert.fail(`the Tab key does not lead to ${name}`);
  };
  await enter(page, one, `/imports/${ids[0]}`);
  await page.locator('.utterance').first().waitFor();
  await quiet(page);
  const began = Date.now();

  const made = new Set();
  let last = '';
  for (let i = 0; i < names.length; i++) {
    await page.getByText(`number ${i + 1}.`).waitFor();
    await press('w');
    await eventually(async () => (await focused()) === '0');
    let at = 0;
    for (const [j, theme] of about[i].entries()) {
      for (const turn = 3 + 2 * j; at < turn; at++) await press('ArrowDown');
      await eventually(async () => (await focused()) === String(at));
      await press('t');
      const name = themes[theme];
      if (!made.has(name)) await type(name);
      else if (name !== last) await type(name.slice(0, 3));
      await press('Enter');
      made.add(name);
      last = name;
      await eventually(async () => (await focused()) === String(at));
    }
    if (i < names.length - 1) await press(']');
  }
  const quotes = () =>
    one.call(
      'GET',
      `/rest/v1/evidence?project_id=eq.${project.id}` +
        '&select=quote,evidence_hypotheses(stance),evidence_themes(themes(name))',
    );
  await eventually(async () => {
    const all = await quotes();
    return all.length === 24 && all.every((e) => e.evidence_themes.length === 1);
  });
  for (const { quote, evidence_themes: links } of await quotes())
    assert.deepEqual(
      links.map((l) => l.themes.name),
      [themes[said.indexOf(quote)]],
    );
  const coding = Date.now();
  await picture(page, 'study-interview');

  // The theme that most people have becomes a hypothesis, with its quotes.
  await tabTo('Themes');
  await press('Enter');
  await heading(page, 'Themes').waitFor();
  await page.waitForURL(`${base}${project.path}/themes`);
  await page.getByText('Favourites').first().waitFor();
  await quiet(page);
  await picture(page, 'study-board');
  const column = () => page.evaluate(() => document.activeElement.textContent);
  for (let i = 0; i < 8 && !(await column()).includes('Favourites'); i++) {
    await press('ArrowRight');
    await quiet(page);
  }
  await press('h');
  const statement = page.getByRole('dialog').getByLabel('Statement');
  await eventually(() => statement.evaluate((box) => box === document.activeElement));
  await press('Control+a');
  await type('Good shifts go to favourites.');
  await press('Tab', 'Tab', 'Tab', 'Enter');
  await eventually(async () => {
    const all = await one.call(
      'GET',
      `/rest/v1/hypotheses?project_id=eq.${project.id}&select=statement,evidence_hypotheses(stance)`,
    );
    return all.length === 1 && all[0].evidence_hypotheses.length === 5;
  });
  const ended = Date.now();
  await page.goto(`${base}${project.path}/evidence`);
  await heading(page, 'Good shifts go to favourites.').waitFor();
  await picture(page, 'study-finding');
  await page
    .getByText(/^5 of \d+ participants support/)
    .first()
    .waitFor();
  await picture(page, 'study-finding');
  const seconds = (ms) => Math.round(ms / 100) / 10;
  figure(
    t,
    `twelve interviews, 24 quotes, five themes and a hypothesis with ${keys} keys in ` +
      `${seconds(ended - began)} s, of which coding ${seconds(coding - began)} s`,
  );
});
