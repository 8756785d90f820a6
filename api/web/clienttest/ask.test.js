// Questions to the interviews of a project, and their answers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { answering, answerTo, finished, interviewed, question } from './answering.js';
import { base, enter, eventually, gone, heading, PARSE_MS, person, picture, visit } from './harness.js';
import { joined } from './judged.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function requireAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map((node) => node.failureSummary)]),
    [],
  );
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}

const field = (page) => page.getByRole('textbox', { name: 'Question' });
const sentences = (page) => page.getByRole('list', { name: 'Answer' });
const basis = (page) => page.getByRole('complementary', { name: 'What it rests on' });
const isFocused = (locator) => locator.evaluate((element) => element === document.activeElement);

test('an answer appears sentence by sentence, survives a reload, and leads to its words', async (t) => {
  const page = await visit(t);
  const { one, project, quote, path } = await interviewed('Asks');
  const answer = answerTo(project);
  const answers = [answer];
  const sent = await answering(page, answers);
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  await page.keyboard.press('/');
  await page.waitForURL(base + path);
  await eventually(() => isFocused(field(page)));
  await page.keyboard.type(`  ${question}`);

  // What was typed stays while somebody looks at another view, and reloads.
  await page.getByRole('link', { name: 'Hypotheses' }).first().click();
  await heading(page, 'Hypotheses').waitFor();
  await page.getByRole('link', { name: 'Ask', exact: true }).first().click();
  await eventually(async () => (await field(page).inputValue()) === `  ${question}`);
  await field(page).press('End');
  await field(page).press('Enter');
  await page.waitForURL(`${base}${path}?a=${answer.answerId}`);
  await heading(page, question).waitFor();
  assert.deepEqual(
    sent.map(([method, to, body]) => [method, to, body]),
    [['POST', `/api/project/${project.id}/ask`, { question, mode: 'quick' }]],
  );
  await page.getByText('Waiting for a free worker.').waitFor();

  const { sentences: all, ...end } = finished(quote);
  Object.assign(answer, {
    status: 'reading',
    startedAt: new Date().toISOString(),
    sentences: all.slice(0, 1),
  });
  await sentences(page).getByText(all[0].text).waitFor();
  await sentences(page).getByText('said by 1 of 11 people').waitFor();
  assert.equal(await sentences(page).getAttribute('aria-live'), 'polite');
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  await requireAccessible(page);
  await picture(page, 'ask/arriving');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'ask/arriving-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.reload();
  await sentences(page).getByText(all[0].text).waitFor();

  Object.assign(answer, end, { sentences: all, unsupportedCount: 1, rejectedCount: 2 });
  await sentences(page).getByText(all[1].text).waitFor();
  await basis(page).getByText('Read 40 of 1,480 passages of 9 interviews').waitFor();
  await basis(page).getByText('(about 530K tokens, US$0.081)').waitFor();
  await basis(page).getByText('2 of 11 people quoted').waitFor();
  await basis(page).getByText('1 sentence was left out, because no quote proves it.').waitFor();
  await basis(page).getByText('2 quotes were left out, because they are not a participant’s words').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0);

  await picture(page, 'ask/finished');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'ask/finished-dark');
  await page.emulateMedia({ colorScheme: 'light' });

  const number = sentences(page).getByRole('link', { name: 'Quote 1: Ines Carvalho' });
  const peek = page.getByRole('tooltip').filter({ hasText: 'The tool asked for read access' });
  await number.hover();
  await peek.getByText('Ines Carvalho').waitFor();
  await page.mouse.move(0, 0);
  await gone(peek);
  await number.focus();
  await peek.waitFor();
  await requireAccessible(page);
  await picture(page, 'ask/quote');
  await page.keyboard.press('Escape');
  await gone(peek);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/imports/${all[0].quotes[0].importId}\\?u=1&b=`));
  const marks = page.locator('.turn.placed mark.find');
  await marks.first().waitFor();
  assert.equal((await marks.allTextContents()).join(''), all[0].quotes[0].quote);
});

test('a question without an answer says so, and becomes one for the next interview', async (t) => {
  const page = await visit(t);
  const { one, project, quote, path } = await interviewed('Unanswered');
  const answer = answerTo(project, {
    mode: 'thorough',
    status: 'answered',
    result: 'not_answered',
    importsTotal: 2,
    importsRead: 2,
    coverage: 1,
    missing: 'Nobody was asked what the tool costs.',
    passages: [quote('For two receipts? That would be silly.')],
  });
  const lost = answerTo(project, {
    question: 'Who had an answer?',
    mode: 'thorough',
    status: 'answered',
    result: 'not_found',
    coverage: 1,
    staleSince: '2026-03-05T09:00:00Z',
  });
  await answering(page, [answer, lost]);
  await enter(page, one, `${path}?a=${answer.answerId}`);
  await page.getByRole('heading', { name: 'Not answered by these interviews' }).waitFor();
  await page.getByText('All 2 interviews with 11 people were read.').waitFor();
  await page.getByText('Nobody was asked what the tool costs.').waitFor();
  await basis(page).getByText('Read 2 of 2 interviews').waitFor();
  await page.getByRole('region', { name: 'What comes closest' }).getByText('That would be silly').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Read everything' }).count(), 0);
  await requireAccessible(page);
  await picture(page, 'ask/not-answered');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'ask/not-answered-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: 'Add as a question for the next interview' }).click();
  await page.getByText('Added to the questions.').waitFor();
  const stored = await one.call('GET', `/rest/v1/questions?project_id=eq.${project.id}&select=text,status`);
  assert.deepEqual(stored, [{ text: question, status: 'open' }]);
  await page.getByText('It is among the questions').waitFor();

  await page.reload();
  await page.getByRole('button', { name: 'Add as a question for the next interview' }).click();
  await page.getByText('It was among the questions already.').waitFor();
  assert.equal((await one.call('GET', `/rest/v1/questions?project_id=eq.${project.id}`)).length, 1);

  await page.getByRole('link', { name: 'All questions' }).click();
  await page.getByRole('link', { name: lost.question }).click();
  await page.getByRole('heading', { name: 'No longer answered' }).waitFor();
});

test('quotes name people, and what has no confirmed speaker or no end counts nobody', async (t) => {
  const page = await visit(t, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { one, project, quote, path } = await interviewed('Names');
  const words = quote('If I could give it one folder');
  await one.call(
    'PATCH',
    `/rest/v1/import_speakers?import_id=eq.${words.importId}&speaker=eq.${words.speaker}`,
    {
      display_name: 'The engineer',
      participant_id: null,
    },
  );
  const answer = answerTo(project, {
    ...finished(quote),
    status: 'failed',
    result: null,
    importsRead: 0,
    errorCode: 'interview_changed',
    passages: [words],
  });
  answer.sentences[1].peopleCount = 0;
  await answering(page, [answer]);
  await enter(page, one, `${path}?a=${answer.answerId}`);
  await page.getByText('An interview changed while it was read.').waitFor();
  await sentences(page).getByRole('link', { name: 'Quote 1: The engineer' }).waitFor();
  await sentences(page).getByText('speaker not confirmed').waitFor();
  await page.getByRole('region', { name: 'What comes closest' }).getByText('The engineer').waitFor();
  assert.equal(
    await basis(page)
      .getByText(/^Read /)
      .count(),
    0,
  );

  await page.getByRole('button', { name: 'Copy as Markdown' }).click();
  await page.getByText('Copied.').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /— The engineer, /);
  assert.doesNotMatch(copied, /Ines Carvalho, |said by 0|Read \d+ of/);

  // What others do with an answer that has ended is shown.
  answer.title = 'Renamed elsewhere';
  await heading(page, 'Renamed elsewhere').waitFor();
});

test('what was not found in some passages can be looked for in everything', async (t) => {
  const page = await visit(t);
  const { one, project, path } = await interviewed('Not Found');
  const answer = answerTo(project, { status: 'answered', result: 'not_found', passagesRead: 40 });
  const sent = await answering(page, [answer]);
  await enter(page, one, `${path}?a=${answer.answerId}`);
  await page.getByRole('heading', { name: 'Not found in what was read' }).waitFor();
  await page.getByText('40 of 1,480 passages of 9 interviews were read').waitFor();
  await page.getByText('(about 530K tokens, US$0.081)').waitFor();
  await page.getByRole('button', { name: 'Read everything' }).click();
  await page.getByText('Waiting for a free worker.').waitFor();
  assert.deepEqual(sent.at(-1), ['POST', `/api/answer/${answer.answerId}/again`, { mode: 'thorough' }]);
  Object.assign(answer, {
    status: 'reading',
    progress: { done: 3, total: 40 },
    waitingReason: 'model_rate_limited',
  });
  await page.getByText('Waiting for the AI model, which limits requests.').waitFor();
  answer.waitingReason = null;
  await page.getByText('3 of 40 parts read.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('This was cancelled. What was read is not paid for again.').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByText('Waiting for a free worker.').waitFor();
  Object.assign(answer, { status: 'failed', errorCode: 'model_no_credit' });
  await page.getByText('has no credit or quota left').waitFor();
});

test('quotes are kept as evidence, and an answer becomes a finding', async (t) => {
  const page = await visit(t);
  const statement = 'People fear for their mails.';
  const { one, project, quote, path } = await interviewed('Keeps', statement);
  const answer = answerTo(project, finished(quote));
  await answering(page, [answer]);
  await enter(page, one, `${path}?a=${answer.answerId}`);
  await sentences(page).getByRole('button', { name: 'Show 1 quote' }).click();
  await sentences(page)
    .getByRole('button', { name: /^Keep as evidence: The tool/ })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Hypothesis').selectOption(statement);
  await dialog.getByRole('radio', { name: 'Supports' }).check();
  await dialog.getByRole('button', { name: 'Keep as evidence' }).click();
  await page.getByText('1 quote added as evidence').waitFor();
  await sentences(page).getByTitle('It was kept as a quote.').waitFor();
  const evidence = () =>
    one.call(
      'GET',
      `/rest/v1/evidence?project_id=eq.${project.id}&order=byte_start` +
        '&select=id,quote,byte_start,byte_end,match,origin,review,evidence_hypotheses(hypothesis_id,stance)',
    );
  const [first] = answer.sentences[0].quotes;
  assert.deepEqual(await evidence(), [
    {
      id: first.evidenceId,
      quote: first.quote,
      byte_start: first.byteStart,
      byte_end: first.byteEnd,
      match: 'verbatim',
      origin: 'human',
      review: 'accepted',
      evidence_hypotheses: [{ hypothesis_id: project.hypotheses[0].id, stance: 'supports' }],
    },
  ]);

  await page.getByRole('button', { name: 'Make it a finding' }).click();
  assert.equal(await dialog.getByLabel('New hypothesis').inputValue(), answer.sentences[0].text);
  await dialog.getByRole('radio', { name: 'Supports' }).check();
  await dialog.getByRole('button', { name: 'Make it a finding' }).click();
  await page.getByRole('link', { name: 'Open the findings' }).click();
  await page.waitForURL(new RegExp(`${project.path}/findings\\?h=`));
  for (const { quotes } of answer.sentences)
    for (const q of quotes) await page.locator('.findings figure').getByText(q.quote).waitFor();
  assert.equal((await evidence()).length, 3, 'what was evidence already is not stored twice');
});

test('answers are kept, renamed, copied, saved and deleted', async (t) => {
  const page = await visit(t, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { one, project, quote, path } = await interviewed('Manages');
  const answer = answerTo(project, { ...finished(quote), staleSince: '2026-03-05T09:00:00Z' });
  const older = answerTo(project, { question: 'Who pays?', status: 'answered', result: 'partly' });
  const answers = [older, answer];
  await answering(page, answers);
  await enter(page, one, path);
  const asked = page.getByRole('region', { name: 'Asked so far' }).getByRole('listitem');
  await asked.filter({ hasText: 'Who pays?' }).getByText('answered in part').waitFor();
  const row = asked.filter({ hasText: question });
  for (const text of ['2 of 11 people', 'interviews changed since', 'Ada'])
    await row.getByText(text).waitFor();
  await requireAccessible(page);
  await picture(page, 'ask/asked');
  await row.getByRole('link', { name: question }).click();
  await page.getByRole('button', { name: '☆ Keep' }).click();
  await page.getByRole('button', { name: '★ Kept' }).waitFor();
  await page.getByRole('button', { name: 'Actions for the answer' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Title').fill('Mailboxes');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Mailboxes').waitFor();
  await page.getByText(`Asked: ${question}`).waitFor();

  await page.getByRole('button', { name: 'Copy as Markdown' }).click();
  await page.getByText('Copied.').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^# Mailboxes\n/);
  for (const text of [
    answer.sentences[1].text.replace(/-/g, '\\-'),
    '(said by 2 of 11 people)',
    '> The tool asked for read access to everything. Not a folder, everything.',
    '— Ines Carvalho, ',
    'speaker not confirmed',
    'Read 40 of 1,480 passages of 9 interviews.',
  ])
    assert.ok(copied.includes(text), `${text}: ${copied}`);
  const download = page.waitForEvent('download');
  await page.getByLabel('Save as').selectOption('docx');
  assert.match((await download).suggestedFilename(), /^receipts-answer-mailboxes-\d{4}-\d\d-\d\d\.docx$/);

  await page.emulateMedia({ media: 'print' });
  await sentences(page).locator('blockquote').first().waitFor();
  assert.ok(!(await page.locator('.ask-page .tasks').isVisible()));
  await page.emulateMedia({ media: null });

  await page.getByRole('link', { name: 'All questions' }).click();
  assert.match(await asked.first().textContent(), /Mailboxes/);
  await asked.first().getByRole('link', { name: 'Mailboxes' }).click();
  await page.getByRole('button', { name: 'Ask again', exact: true }).click();
  await page.getByText('Waiting for a free worker.').waitFor();
  await page.getByRole('button', { name: 'Actions for the answer' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Answer deleted.').waitFor();
  await gone(asked.filter({ hasText: 'Mailboxes' }));
});

test('without a model there are passages, and everybody is told that no AI read them', async (t) => {
  const page = await visit(t, { width: 390, height: 800, colorScheme: 'dark' });
  await page.route('**/config.json', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), usesModel: false } });
  });
  const { one, project, quote, path } = await interviewed('Unaided');
  const answer = answerTo(project);
  const sent = await answering(page, [answer]);
  await enter(page, one, path);
  await page.getByText('This server has no AI model').waitFor();
  assert.equal(await page.getByRole('radio').count(), 0);
  await field(page).fill(question);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await heading(page, question).waitFor();
  assert.equal(sent[0][2].mode, 'passages');
  Object.assign(answer, {
    status: 'answered',
    model: null,
    passages: [quote('I have offers from recruiters in there, and my doctor.')],
  });
  await page
    .getByRole('region', { name: 'Passages with words in common' })
    .getByText('offers from recruiters')
    .waitFor();
  await basis(page).getByText('No AI read them.').waitFor();
  await requireAccessible(page);
  await picture(page, 'ask/passages-narrow-dark');
});

test('a viewer reads answers, and changes none', async (t) => {
  const page = await visit(t);
  const { one, project, quote, path } = await interviewed('Owns');
  const reader = await person('Ask Reader');
  await joined(one, project, reader, 'viewer');
  const answer = answerTo(project, { ...finished(quote), staleSince: '2026-03-05T09:00:00Z' });
  await answering(page, [answer]);
  await enter(page, reader, path);
  await page.getByRole('link', { name: question }).waitFor();
  assert.equal(await field(page).count(), 0);
  await page.getByRole('link', { name: question }).click();
  await sentences(page).getByText(answer.sentences[0].text).waitFor();
  await page.getByRole('button', { name: 'All quotes' }).click();
  await sentences(page).getByText('If I could give it one folder', { exact: true }).last().waitFor();
  for (const name of [/Keep/, 'Make it a finding', 'Ask again', 'Read everything', 'Actions for the answer'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, `${name}`);
});

test('questions are asked from the search and from the list of questions', async (t) => {
  const page = await visit(t);
  const { one, project, quote, path } = await interviewed('Elsewhere');
  const text = 'Which folder would you share?';
  const [planned] = await one.call('POST', '/rest/v1/questions', { project_id: project.id, text });
  const [persona] = await one.call('POST', '/rest/v1/personas', {
    project_id: project.id,
    name: 'Engineers',
  });
  const importId = quote('For two receipts?').importId;
  await one.call('PATCH', `/rest/v1/imports?id=eq.${importId}`, { persona_id: persona.id });
  const answer = answerTo(project);
  const answers = [];
  const sent = await answering(page, answers);
  await enter(page, one, project.path);
  await heading(page, 'Hypotheses').waitFor();
  await page.keyboard.press('Control+k');
  await page
    .getByLabel('Search transcripts, quotes, hypotheses and interviews')
    .fill('nobody said such words');
  const row = page.getByRole('dialog').getByRole('link', { name: 'Ask: nobody said such words' });
  await row.waitFor();
  await page.getByText('Nothing found.').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}${path}?q=nobody+said+such+words`);
  assert.equal(await field(page).inputValue(), 'nobody said such words');

  await page.getByRole('link', { name: 'Questions', exact: true }).first().click();
  await page.getByRole('link', { name: `Ask the interviews: ${text}` }).click();
  await eventually(async () => (await field(page).inputValue()) === text);
  await page.getByRole('radio', { name: /^Read everything/ }).check();
  const whole = /^Reads 2 interviews from beginning to end, \d+ words: about [\dk.]+ tokens\.$/i;
  await page.getByText(whole).waitFor();
  await page.getByLabel('Whom').selectOption('Engineers');
  await page.getByText('Reads the interviews with people of this persona').waitFor();
  answers.push(answer);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await heading(page, text).waitFor();
  assert.deepEqual(sent[0][2], {
    question: text,
    mode: 'thorough',
    scope: { personas: [persona.id] },
    questionId: planned.id,
  });
  await basis(page).getByText('Asked only: Engineers').waitFor();
  Object.assign(answer, { status: 'canceled', peopleCount: 4 });
  await page.getByRole('link', { name: 'Questions', exact: true }).first().click();
  await page.getByRole('link', { name: 'Asked: cancelled', exact: true }).waitFor();
  Object.assign(answer, { status: 'answered', result: 'partly' });
  const link = page.getByRole('link', { name: 'Asked: answered in part by 4 of 11 people' });
  await link.waitFor();
  Object.assign(answer, finished(quote));
  await link.click();
  await page.getByRole('button', { name: 'Mark the question as answered' }).click();
  await page.getByText('The question is answered.').waitFor();
  const [{ status }] = await one.call('GET', `/rest/v1/questions?id=eq.${planned.id}&select=status`);
  assert.equal(status, 'answered');
});

test('another question is not the planned one, and one that was rejected is a new request', async (t) => {
  const page = await visit(t);
  const { one, project, path } = await interviewed('Rejected');
  const sent = [];
  await page.route('**/api/project/*/ask', async (route) => {
    const request = route.request();
    sent.push([await request.headerValue('idempotency-key'), request.postDataJSON()]);
    await route.fulfill({ status: 422, json: { error: 'nothing_to_read', message: 'Nothing to read.' } });
  });
  const planned = crypto.randomUUID();
  await enter(page, one, `${path}?${new URLSearchParams({ q: question, question: planned })}`);
  const send = async () => {
    await field(page).press('Enter');
    await page.getByText('Nothing to read.').waitFor();
  };
  await field(page).waitFor();
  await send();
  await eventually(async () => {
    await send();
    return sent.length > 1;
  });
  await field(page).fill('no');
  await field(page).press('Enter');
  await field(page).fill('Who pays?');
  await eventually(async () => {
    await send();
    return sent.at(-1)[1].question === 'Who pays?';
  });
  assert.equal(sent[0][1].questionId, planned);
  assert.equal('questionId' in sent.at(-1)[1], false);
  assert.equal(new Set(sent.map(([key]) => key)).size, sent.length);
  assert.ok(!sent.some(([, { question: text }]) => text === 'no'));
});

test('the service answers, keeps what the page changes, and says what nobody said', async (t) => {
  const page = await visit(t);
  const one = await person('Asks Really');
  const project = await one.project('People connect a mailbox.');
  await one.upload(
    project,
    'ola.txt',
    'Interviewer: What happened when you rolled it out?\n' +
      'Ola: Everybody connected their mailbox within a week.\n' +
      'Interviewer: Why?\n' +
      'Ola: The works council wrote two pages about it.\n',
  );
  const path = `${project.path}/ask`;
  await enter(page, one, path);
  await field(page).fill('Who connected their mailbox?');
  await field(page).press('Enter');
  await heading(page, 'Who connected their mailbox?').waitFor();
  await sentences(page).getByText('It was said: ').first().waitFor({ timeout: PARSE_MS });
  await basis(page).getByText('answered', { exact: true }).waitFor({ timeout: PARSE_MS });
  await page.getByRole('button', { name: '☆ Keep' }).click();
  await page.getByRole('button', { name: '★ Kept' }).waitFor();
  await page.getByRole('button', { name: 'All quotes' }).click();
  await sentences(page)
    .getByRole('button', { name: /^Keep as evidence: / })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Supports' }).check();
  await dialog.getByRole('button', { name: 'Keep as evidence' }).click();
  await sentences(page).getByTitle('It was kept as a quote.').first().waitFor();
  await page.reload();
  await page.getByRole('button', { name: '★ Kept' }).waitFor();
  await page.getByRole('link', { name: 'All questions' }).click();
  const asked = page.getByRole('region', { name: 'Asked so far' }).getByRole('listitem');
  await asked.getByText('★ kept').waitFor();
  await asked.getByText('Asks Really', { exact: true }).waitFor();

  await field(page).fill('Which spaceship flew to Jupiter?');
  await page.getByRole('radio', { name: /^Read everything/ }).check();
  await field(page).press('Enter');
  const unanswered = page.getByRole('heading', { name: 'Not answered by these interviews' });
  await unanswered.waitFor({ timeout: PARSE_MS });
});
