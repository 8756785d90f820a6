// Answers of the service that are scripted, so that the tests of the page decide when a sentence arrives and
// how an answer ends. Their quotes are words of real interviews.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { person } from './harness.js';

const read = (name) => readFileSync(new URL(`scene/${name}`, import.meta.url), 'utf8');

export const question = 'Why do people not connect their mailbox?';

// interviewed returns a person with a project that has two interviews, and a function that quotes words of
// them.
export async function interviewed(name, ...statements) {
  const one = await person(name);
  const project = await one.project(...statements);
  const turns = [];
  for (const file of ['priya.srt', 'ines.vtt']) {
    const id = await one.upload(project, file, read(file));
    const [{ title }] = await one.call('GET', `/rest/v1/imports?id=eq.${id}&select=title`);
    const all = await one.call('GET', `/rest/v1/utterances?import_id=eq.${id}&order=ordinal`);
    turns.push(...all.map((turn) => ({ ...turn, title })));
  }
  const quote = (words, more = {}) => {
    const turn = turns.find(({ text }) => text.includes(words));
    assert.ok(turn, words);
    const start = turn.byte_start + Buffer.byteLength(turn.text.slice(0, turn.text.indexOf(words)));
    return {
      id: crypto.randomUUID(),
      importId: turn.import_id,
      importTitle: turn.title,
      quote: words,
      speaker: turn.speaker,
      speakerConfirmed: true,
      startMs: turn.start_ms,
      utteranceFrom: turn.ordinal,
      utteranceTo: turn.ordinal,
      byteStart: start,
      byteEnd: start + Buffer.byteLength(words),
      match: 'verbatim',
      evidenceId: null,
      ...more,
    };
  };
  return { one, project, quote, path: `${project.path}/ask` };
}

// answerTo returns an answer as GET /api/answer/{answerId} has it, before anything was read.
export const answerTo = (project, more = {}) => ({
  answerId: crypto.randomUUID(),
  workspaceId: project.workspace.id,
  projectId: project.id,
  questionId: null,
  question,
  mode: 'quick',
  scope: {},
  title: '',
  kept: false,
  status: 'queued',
  result: null,
  missing: '',
  importsTotal: 9,
  importsRead: 0,
  passagesTotal: 1480,
  passagesRead: 0,
  coverage: 0,
  progress: { done: 0, total: 0 },
  waitingReason: null,
  peopleTotal: 11,
  peopleCount: 0,
  unsupportedCount: 0,
  rejectedCount: 0,
  staleSince: null,
  extractor: 'openai',
  model: 'test-model',
  inputTokens: 0,
  outputTokens: 0,
  errorCode: null,
  errorMessage: null,
  createdBy: null,
  createdAt: '2026-03-04T09:00:00Z',
  startedAt: null,
  finishedAt: null,
  sentences: [],
  passages: [],
  ...more,
});

// finished returns what a quick answer with two sentences ends with.
export const finished = (quote) => ({
  status: 'answered',
  result: 'answered',
  importsRead: 8,
  passagesRead: 40,
  coverage: 0.03,
  peopleCount: 2,
  startedAt: '2026-03-04T09:00:01Z',
  finishedAt: '2026-03-04T09:00:09Z',
  sentences: [
    {
      ordinal: 0,
      text: 'The tool asked to read all mails, and not only receipts.',
      peopleCount: 1,
      quotes: [quote('The tool asked for read access to everything. Not a folder, everything.')],
    },
    {
      ordinal: 1,
      text: 'With one folder or a server of their own, people would connect it.',
      peopleCount: 2,
      quotes: [
        quote('If I could give it one folder'),
        quote('if it ran on our own server, I would connect it tomorrow', { speakerConfirmed: false }),
      ],
    },
  ],
});

const rowOf = (a) => ({
  id: a.answerId,
  question_id: a.questionId,
  question: a.question,
  title: a.title,
  kept: a.kept,
  mode: a.mode,
  status: a.status,
  result: a.result,
  people_total: a.peopleTotal,
  people_count: a.peopleCount,
  stale_since: a.staleSince,
  created_at: a.createdAt,
  author: { display_name: 'Ada' },
});

// answering has a page get these answers, which a test changes as it goes. It returns what was sent: [method,
// path, body].
export async function answering(page, answers) {
  const sent = [];
  const find = (id) => answers.find(({ answerId }) => answerId === id);
  const started = ({ answerId, status }) => ({ status: 202, json: { answerId, status } });
  const actions = {
    again: (answer, { mode }) => {
      Object.assign(answer, { mode, status: 'queued', result: null, sentences: [], staleSince: null });
      return started(answer);
    },
    cancel: (answer) => {
      Object.assign(answer, { status: 'canceled', errorCode: 'canceled' });
      return { json: { answerId: answer.answerId, status: answer.status } };
    },
    estimate: () => ({
      json: {
        mode: 'thorough',
        calls: 40,
        inputTokens: 520_000,
        outputTokens: 9000,
        cost: { amount: 0.0812, currency: 'USD' },
      },
    }),
    // Each connection has one event, and ends: the page connects again.
    events: ({ answerId, sentences }) => ({
      contentType: 'text/event-stream',
      body:
        `retry: 100\nid: ${sentences.length}\nevent: answer.sentence\n` +
        `data: ${JSON.stringify({ data: { answerId, ordinal: sentences.length } })}\n\n`,
    }),
  };
  const note = (request) => {
    const { pathname, search } = new URL(request.url());
    const body = request.postDataJSON();
    if (request.method() !== 'GET') sent.push([request.method(), pathname + search, body]);
    return { pathname, body, id: /eq\.([\w-]+)/.exec(search)?.[1] };
  };
  await page.route('**/api/project/*/ask', async (route) => {
    const { body } = note(route.request());
    const answer = answers[0];
    Object.assign(answer, body, { questionId: body.questionId ?? null });
    await route.fulfill(started(answer));
  });
  await page.route('**/api/answer/**', async (route) => {
    const { pathname, body } = note(route.request());
    const [, , , id, action] = pathname.split('/');
    const answer = find(id);
    if (!answer) return route.fulfill({ status: 404, json: { error: 'not_found', message: 'Gone.' } });
    if (action) return route.fulfill(actions[action](answer, body));
    if (route.request().method() === 'DELETE') answers.splice(answers.indexOf(answer), 1);
    return route.fulfill({ json: answer });
  });
  await page.route('**/rest/v1/answers?*', async (route) => {
    const { body, id } = note(route.request());
    const answer = find(id);
    if (route.request().method() === 'PATCH') Object.assign(answer, body);
    const rows = answer ? [answer] : answers;
    await route.fulfill({ json: rows.toSorted((a, b) => b.kept - a.kept).map(rowOf) });
  });
  await page.route('**/rest/v1/answer_quotes?*', async (route) => {
    const { body } = note(route.request());
    const all = answers.flatMap((a) => [...a.passages, ...a.sentences.flatMap((s) => s.quotes)]);
    const changed = all.filter(({ id }) => route.request().url().includes(id));
    for (const quote of changed) quote.evidenceId = body.evidence_id;
    await route.fulfill({ json: changed.map(({ id }) => ({ id })) });
  });
  return sent;
}
