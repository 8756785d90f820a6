// What interviewers say is no evidence, and changes by others are shown within seconds.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, enter, eventually, gone, heading, person, quiet, visit } from './harness.js';
import { joined, judged } from './judged.js';

const column = (page, name) => page.getByRole('region', { name });

// linked adds a quote of an interview, which supports the first hypothesis.
async function linked(one, project, importId, quote) {
  const [evidence] = await one.call('POST', '/rest/v1/evidence', {
    project_id: project.id,
    import_id: importId,
    quote,
  });
  await one.call('POST', '/rest/v1/evidence_hypotheses', {
    project_id: project.id,
    evidence_id: evidence.id,
    hypothesis_id: project.hypotheses[0].id,
    stance: 'supports',
  });
  return evidence;
}

test('quotes of interviewers are folded below the board, and not reviewed', async (t) => {
  const page = await visit(t);
  const one = await person('Asks them');
  const project = await one.project('Receipts take long.');
  const id = await one.upload(project, 'call.txt', 'Lena: So they take long?\nAna: Receipts take hours.\n');
  await linked(one, project, id, 'So they take long?');
  await linked(one, project, id, 'Receipts take hours.');
  await enter(page, one, `${project.path}/evidence`);
  await eventually(async () => (await page.getByRole('article').count()) === 2);
  await one.call('POST', '/rest/v1/rpc/set_interviewers', { import: id, speakers: ['Lena'] });
  await page.reload();
  await page.getByText('1 quote of interviewers').waitFor();
  assert.equal(await page.getByRole('article').count(), 1);
  await column(page, /^For 1/).waitFor();
  await page.getByText('1 quote of interviewers').click();
  await page.getByText('What interviewers say does not count as evidence.').waitFor();
  await page.locator('.asked').getByText('So they take long?').waitFor();
  await page.getByRole('link', { name: 'Review 1' }).click();
  await heading(page, 'Review').waitFor();
  await page.locator('.review').getByText('1 of 1', { exact: true }).waitFor();
  await page.locator('.turn-row mark').getByText('Receipts take hours.').waitFor();
});

test('a stance that somebody changes without a review is shown to others', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Watcher');
  const editor = await person('Changer');
  await joined(one, project, editor, 'editor');
  await enter(page, one, `${project.path}/evidence`);
  const card = column(page, /^For/).getByRole('article').first();
  await card.waitFor();
  const quote = await card.locator('blockquote').textContent();
  const [evidence] = await one.call(
    'GET',
    `/rest/v1/evidence?project_id=eq.${project.id}&quote=eq.${encodeURIComponent(quote)}&select=id`,
  );
  await editor.call(
    'PATCH',
    `/rest/v1/evidence_hypotheses?evidence_id=eq.${evidence.id}&hypothesis_id=eq.${project.hypotheses[0].id}`,
    { stance: 'contradicts', strength: 'weak' },
  );
  const moved = column(page, /^Against/)
    .getByRole('article')
    .filter({ hasText: quote });
  await moved.getByText('weak', { exact: true }).waitFor();
  await moved.getByText('to review', { exact: true }).waitFor();
});

test('the page asks for changes amid a row of events, and again for those that come meanwhile', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Overtaken');
  await page.addInitScript(() => {
    const { fetch } = window;
    window.asked = []; // when the page asked for changes
    window.fetch = async (path, options) => {
      if (path === '/api/events')
        return new Response(
          new ReadableStream({
            start(stream) {
              window.tell = (text) => stream.enqueue(new TextEncoder().encode(text));
            },
          }),
        );
      if (path.includes('evidence.reviewed_at')) {
        window.asked.push(performance.now());
        if (window.asked.length === 1) await new Promise((resolve) => (window.answer = resolve));
      }
      return fetch(path, options);
    };
  });
  await enter(page, one, `${project.path}/evidence`);
  await page.getByRole('article').first().waitFor();
  const event = JSON.stringify({ data: { projectId: project.id } });
  const told = `id: 1\nevent: evidence.updated\ndata: ${event}\n\n`;
  await page.evaluate((text) => {
    const telling = setInterval(() => {
      window.tell?.(text); // more often than the page asks
      if (window.asked.length === 1) clearInterval(telling);
    }, 50);
  }, told);
  await eventually(() => page.evaluate(() => window.asked.length === 1));
  const answered = await page.evaluate(async (text) => {
    window.tell(text);
    await new Promise((resolve) => setTimeout(resolve));
    window.answer();
    return performance.now();
  }, told);
  await eventually(() => page.evaluate(() => window.asked.length > 1));
  const waited = (await page.evaluate(() => window.asked[1])) - answered;
  assert.ok(waited < 30_000, `${waited} ms`); // the time between two questions without an event
});

test('an interview names its participants, not their labels', async (t) => {
  const page = await visit(t);
  const one = await person('Labels');
  const project = await one.project('Receipts take long.');
  const id = await one.upload(project, 'call.txt', 'Speaker 1: Why?\nSpeaker 2: Receipts take hours.\n');
  await enter(page, one, `${project.path}/interviews`);
  const facts = page.locator('.imports .meta').first();
  await facts.getByText('Speaker 1, Speaker 2').waitFor();
  await page.getByRole('button', { name: 'Actions for call' }).click();
  await page.getByRole('menuitem', { name: 'Speakers' }).click();
  const dialog = page.getByRole('dialog', { name: 'Speakers' });
  await dialog.getByRole('textbox', { name: 'Speaker 2' }).fill('Ana Silva');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await gone(dialog);
  await facts.getByText('Speaker 1, Ana Silva').waitFor();
  await page.goto(`${base}/imports/${id}`);
  await page.locator('.about .meta').getByText('Speaker 1, Ana Silva').waitFor();
});

test('a board without quotes does not ask who judged them', async (t) => {
  const page = await visit(t);
  const one = await person('Waits');
  const project = await one.project('Receipts take long.');
  const asked = [];
  page.on(
    'request',
    (request) => request.url().includes('evidence.reviewed_at') && asked.push(request.url()),
  );
  await enter(page, one, `${project.path}/evidence`);
  await page.getByText('No evidence yet').waitFor();
  await quiet(page);
  assert.deepEqual(asked, []);
});
