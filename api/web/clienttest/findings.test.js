// Findings: choosing and ordering quotes, links without an account, paper, and files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { joined, judged, statements } from './judged.js';
import { base, enter, eventually, gone, heading, person, picture, quiet, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const quotes = (page) => page.locator('.findings blockquote').allTextContents();

// chosen returns a project whose findings have the quotes of its first hypothesis.
async function chosen(name) {
  const { one, project, ids } = await judged(name);
  const [hypothesis] = project.hypotheses;
  const links = await one.call(
    'GET',
    `/rest/v1/evidence_hypotheses?hypothesis_id=eq.${hypothesis.id}&select=evidence_id,stance`,
  );
  assert.ok(links.length > 1);
  await one.call(
    'POST',
    '/rest/v1/finding_quotes',
    links.map((l, i) => ({ hypothesis_id: hypothesis.id, evidence_id: l.evidence_id, position: i })),
  );
  return { one, project, ids, hypothesis, links, path: `${project.path}/findings?h=${hypothesis.id}` };
}

test('quotes are chosen on the board and in review, and ordered by hand', async (t) => {
  const page = await visit(t);
  const { one, project } = await judged('Chooses');
  const [hypothesis] = project.hypotheses;
  const rows = () =>
    one.call(
      'GET',
      `/rest/v1/finding_quotes?hypothesis_id=eq.${hypothesis.id}` +
        '&select=...evidence_hypotheses(evidence(quote,review))',
    );
  await enter(page, one, `${project.path}/evidence`);
  await page.getByRole('article').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('f');
  await eventually(async () => (await rows()).length === 1);
  await eventually(async () => (await rows())[0].evidence.review === 'accepted');
  await page.getByRole('article').getByText('in findings').waitFor();
  await page.keyboard.press('f');
  await eventually(async () => (await rows()).length === 0);
  await quiet(page); // the page has the answer, too

  // A change of mind is sent after the first change has its answer.
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const changes = [];
  await page.route('**/rest/v1/finding_quotes*', async (route) => {
    const method = route.request().method();
    if (method === 'GET') return route.continue();
    changes.push(method);
    if (method === 'POST') await held;
    return route.continue();
  });
  await page.keyboard.press('f');
  await page.getByRole('article').getByText('in findings').waitFor();
  await page.keyboard.press('f');
  await gone(page.getByRole('article').getByText('in findings'));
  release();
  await eventually(() => changes.length === 2);
  await quiet(page);
  assert.deepEqual(changes, ['POST', 'DELETE']);
  assert.deepEqual(await rows(), []);
  await page.unroute('**/rest/v1/finding_quotes*');

  for (const card of await page.getByRole('article').all()) {
    await card.click();
    await card.getByRole('button', { name: 'In findings' }).click();
  }
  const total = await page.getByRole('article').count();
  await eventually(async () => (await rows()).length === total);

  await page.goto(`${base}${project.path}/review?h=${project.hypotheses[1].id}`);
  await page.locator('.turn-row mark').first().waitFor();
  await page.keyboard.press('f');
  await eventually(
    async () => (await one.call('GET', `/rest/v1/finding_quotes?project_id=eq.${project.id}`)).length > total,
  );

  await page.goto(`${base}${project.path}/findings?h=${hypothesis.id}`);
  await heading(page, statements[0]).waitFor();
  const side = page.locator('.side-of', { has: page.getByRole('heading', { name: 'Against' }) });
  const before = await side.locator('blockquote').allTextContents();
  assert.ok(before.length > 1, `${before}`);
  await side.getByRole('button', { name: 'Move down' }).first().click();
  await eventually(async () => (await side.locator('blockquote').first().textContent()) === before[1]);
  await quiet(page);
  await page.reload();
  await heading(page, statements[0]).waitFor();
  assert.deepEqual(await side.locator('blockquote').allTextContents(), [
    before[1],
    before[0],
    ...before.slice(2),
  ]);
  await side.getByRole('button', { name: 'Take out' }).first().click();
  await eventually(async () => (await rows()).length === total - 1);
});

test('a link shows the findings without an account, until it is revoked', async (t) => {
  const page = await visit(t);
  const { one, project, hypothesis, path } = await chosen('Publishes');
  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${hypothesis.id}`, {
    status: 'invalidated',
    decision_reason: 'Payroll takes longer.',
    falsified_if: 'Another step takes longer.',
  });
  await enter(page, one, path);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share findings' });
  await dialog.getByText('No links yet.').waitFor();
  assert.equal(await dialog.getByLabel('Expires in').inputValue(), '30');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = await dialog.getByLabel('The link', { exact: true }).inputValue();
  assert.match(link, /\/shared#[\w-]{43}$/);
  await dialog.getByText(/Works until/).waitFor();
  assert.equal(await page.evaluate(() => getSelection().toString()), link); // it has the focus
  await page.mouse.click(5, 5); // beside the dialog
  await picture(page, 'findings-link');
  assert.equal(await dialog.getByLabel('The link', { exact: true }).inputValue(), link);

  for (const options of [{}, { width: 390, height: 844, colorScheme: 'dark' }]) {
    const guest = await visit(t, options);
    const asked = [];
    guest.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const answer = await guest.goto(base + new URL(link).pathname + new URL(link).hash);
    assert.equal(answer.headers()['x-robots-tag'], 'noindex, nofollow');
    assert.equal(answer.headers()['cache-control'], 'no-store');
    assert.equal(answer.headers()['referrer-policy'], 'no-referrer');
    await heading(guest, statements[0]).waitFor();
    const text = await guest.locator('main').innerText();
    for (const shown of [
      'invalidated',
      'Payroll takes longer.',
      'Another step takes longer.',
      'Participant 1',
    ])
      assert.ok(text.toLowerCase().includes(shown.toLowerCase()), `${shown}: ${text}`);
    for (const hidden of ['Priya', 'Ines', 'Receipts\n', project.workspace.name])
      assert.ok(!text.includes(hidden), `${hidden}: ${text}`);
    assert.equal(await guest.getByRole('button', { name: 'Take out' }).count(), 0);
    assert.deepEqual(
      asked.filter((name) => /^\/(rest|auth|api)\//.test(name)),
      ['/api/findings/shared'],
    );
    assert.ok(!asked.some((name) => name.includes(link.split('#')[1])), 'the token is in no address');
    await guest.evaluate(axe);
    const { violations } = await guest.evaluate(() => globalThis.axe.run(document));
    assert.deepEqual(
      violations.map(({ id, nodes }) => [id, nodes.map((node) => node.failureSummary)]),
      [],
    );
    assert.ok(await guest.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await picture(guest, `shared-${options.width ? 'narrow-dark' : 'wide-light'}`);
  }

  const guest = await visit(t);
  await guest.goto(base + new URL(link).pathname + new URL(link).hash);
  await heading(guest, statements[0]).waitFor();
  await dialog.getByRole('button', { name: /^Revoke/ }).click();
  await dialog.getByText('No links yet.').waitFor();
  await guest.reload();
  await heading(guest, 'This link does not work').waitFor();
});

test('viewers read findings, and cannot change or share them', async (t) => {
  const page = await visit(t);
  const { one, project, path } = await chosen('Owns');
  const viewer = await person('Reads');
  await joined(one, project, viewer, 'viewer');
  await enter(page, viewer, path);
  await page.locator('.findings figure').first().waitFor();
  for (const name of ['Share', 'Take out', 'Move up'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
});

test('findings are printed without the frame, on white paper', async (t) => {
  const page = await visit(t, { colorScheme: 'dark' });
  const { one, path } = await chosen('Prints');
  await enter(page, one, path);
  await page.locator('.findings figure').first().waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const hidden of ['.side', '.tabs', '.findings-page > .filters', '.side-of .do'])
    assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
  assert.deepEqual(
    await page.evaluate(() =>
      [getComputedStyle(document.documentElement), getComputedStyle(document.querySelector('h1'))].map(
        (style, i) => (i === 0 ? style.backgroundColor : style.color),
      ),
    ),
    ['rgb(255, 255, 255)', 'rgb(0, 0, 0)'],
  );
  const pdf = await page.pdf({
    format: 'A4',
    ...(process.env.PICTURES && { path: `${process.env.PICTURES}/findings.pdf` }),
  });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
});

test('exports follow the view and have the verdict, also as a Word document', async (t) => {
  const page = await visit(t);
  const { one, project, hypothesis, ids, links, path } = await chosen('Saves');
  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${hypothesis.id}`, {
    status: 'validated',
    decision_reason: '=HYPERLINK("http://example.com") <b> & "more"',
    falsified_if: 'Nobody waits.',
  });
  const take = async (click) => {
    const download = page.waitForEvent('download');
    await click();
    const file = await download;
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  await enter(page, one, `${project.path}/evidence?h=${hypothesis.id}&import=${ids[0]}`);
  await page.getByRole('article').first().waitFor();
  const shown = await page.getByRole('article').count();
  assert.ok(shown > 0 && shown < links.length);
  const get = async (kind, { what, stance } = {}) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(kind).check();
    if (what) await dialog.getByLabel(what).check();
    if (stance) await dialog.getByLabel('Stance').selectOption(stance);
    return take(() => dialog.getByRole('button', { name: 'Export' }).click());
  };
  const lines = ({ bytes }) => bytes.toString().trimEnd().split('\r\n');

  const csv = lines(await get('CSV'));
  assert.equal(csv.length, 1 + shown, 'the filter of the board applies');
  assert.match(
    csv[0],
    /,participant,interviewed_on,verdict,.+,place_lost,hypothesis_quotes,.+,asked_kind,.+,given_strength$/,
  );
  assert.match(csv[1], /,Priya Nair,,validated,"'=HYPERLINK\(""http:/, 'no cell is a formula');
  assert.equal(lines(await get('CSV', { what: /^The findings/ })).length, 1 + links.length);
  assert.equal(
    lines(await get('CSV', { what: /^The findings/, stance: 'contradicts' })).length,
    1 + links.filter((l) => l.stance === 'contradicts').length,
  );
  const md = (await get('Markdown')).bytes.toString();
  assert.match(md, /^Verdict: validated \(.+\)$/m);
  assert.match(md, /^Wrong if: Nobody waits\.$/m);
  assert.match(md, /^— Priya Nair, priya, \d+:\d\d; /m);

  const blank = await page.context().newPage(); // without the security policy of the page
  // requireWord checks that the service reads a document, and that its parts are XML.
  const requireWord = async ({ name, bytes }) => {
    assert.match(name, /\.docx$/);
    const parts = await blank.evaluate(
      ([text]) => {
        // The parts are stored, not compressed.
        const binary = atob(text);
        const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
        const view = new DataView(bytes.buffer);
        const found = {};
        for (let at = 0; view.getUint32(at, true) === 0x04034b50;) {
          const [size, length] = [view.getUint32(at + 18, true), view.getUint16(at + 26, true)];
          const decode = (from, n) => new TextDecoder().decode(bytes.subarray(from, from + n));
          const xml = decode(at + 30 + length, size);
          const parsed = new DOMParser().parseFromString(xml, 'application/xml');
          if (parsed.querySelector('parsererror')) throw new Error(xml);
          found[decode(at + 30, length)] = parsed.documentElement.textContent;
          at += 30 + length + size;
        }
        return found;
      },
      [bytes.toString('base64')],
    );
    const form = new FormData();
    form.append('project_id', project.id);
    form.append('file', new Blob([bytes]), name);
    const { access_token: token } = await one.signIn();
    const response = await fetch(`${base}/api/import?dry_run=true`, {
      method: 'POST',
      headers: { apikey: process.env.ANON_KEY, Authorization: `Bearer ${token}` },
      body: form,
    });
    const read = await response.json();
    assert.equal(response.status, 200, JSON.stringify(read));
    assert.equal(read.format, 'docx');
    return parts['word/document.xml'];
  };
  const board = await requireWord(await get('Word'));
  assert.ok(board.includes('Reason: =HYPERLINK("http://example.com") <b> & "more"'), board);

  await page.goto(base + path);
  await page.locator('.findings figure').first().waitFor();
  const texts = await quotes(page);
  const document = await requireWord(await take(() => page.getByLabel('Save as').selectOption('docx')));
  for (const text of [...texts, 'Verdict: validated', 'participants', 'Priya Nair'])
    assert.ok(document.includes(text), `${text}: ${document}`);
  const page1 = (await take(() => page.getByLabel('Save as').selectOption('md'))).bytes.toString();
  assert.match(page1, /^Verdict: validated/m);
  const log = await one.call(
    'GET',
    `/rest/v1/rpc/audit_log?workspace=${project.workspace.id}&action=eq.exported`,
  );
  assert.ok(log.some(({ detail }) => detail.format === 'docx'));
});
