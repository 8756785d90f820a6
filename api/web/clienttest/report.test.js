// The report of a study: written, ordered, printed, saved, and shared by a link.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { joined, judged, statements } from './judged.js';
import { base, enter, eventually, gone, heading, person, picture, visit } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const listed = (page) => page.locator('.overview .statement').allTextContents();

async function requireAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map((node) => node.failureSummary)]),
    [],
  );
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}

// studied returns a project with two live hypotheses, and quotes chosen for the first; another one is parked.
async function studied(name) {
  const { one, project, ids } = await judged(name);
  const [first, parked] = project.hypotheses;
  await one.call('PATCH', `/rest/v1/hypotheses?id=eq.${parked.id}`, { status: 'parked' });
  const third = 'Dentists struggle with their calendars.';
  await one.call('POST', '/rest/v1/hypotheses', { project_id: project.id, statement: third });
  const links = await one.call(
    'GET',
    `/rest/v1/evidence_hypotheses?hypothesis_id=eq.${first.id}&select=evidence_id,stance`,
  );
  await one.call(
    'POST',
    '/rest/v1/finding_quotes',
    links.map((l, i) => ({ hypothesis_id: first.id, evidence_id: l.evidence_id, position: i })),
  );
  await one.call('PATCH', `/rest/v1/imports?id=eq.${ids[0]}`, { interviewed_on: '2031-04-12' });
  return { one, project, live: [statements[0], third], parked, path: `${project.path}/report` };
}

async function openDialog(page) {
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  return page.getByRole('dialog', { name: 'Report' });
}

test('a report is written, ordered, read again, printed and saved', async (t) => {
  const page = await visit(t);
  const { one, project, live, parked, path } = await studied('Reports');
  await enter(page, one, project.path);
  await page.getByRole('link', { name: 'Report', exact: true }).click();
  await page.waitForURL(base + path);
  await heading(page, 'Receipts').waitFor();
  assert.deepEqual(await listed(page), live, 'without a choice, all that are not parked');
  const method = page.getByRole('region', { name: 'Method' });
  await method.getByText(/^\d+ interviews? with \d+ participants?, .*2031/).waitFor();
  await method.getByText(/^How the interviews were read for these findings: /).waitFor();
  await method.getByText(/quotes? behind these findings/).waitFor();

  const dialog = await openDialog(page);
  await dialog.getByLabel('Title').fill('What we know <b>');
  await dialog.getByLabel('Summary').fill('Receipts are the bottleneck.\nNobody likes them.');
  await dialog.getByLabel('Method').fill('We called whoever answered.');
  await dialog.getByLabel('Recommendations').fill('Build an inbox for receipts.');
  await dialog.getByRole('button', { name: `Move up: ${live[1]}` }).press('Enter');
  assert.deepEqual(await dialog.locator('.report-order span').allTextContents(), [
    ...live.toReversed(),
    parked.statement,
  ]);
  await picture(page, 'report-dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'What we know <b>').waitFor();
  assert.deepEqual(await listed(page), live.toReversed());
  await page.reload();
  for (const words of ['Receipts are the bottleneck.', 'Build an inbox', 'We called whoever answered.'])
    await page.getByText(words).waitFor();
  assert.deepEqual(await listed(page), live.toReversed());
  assert.deepEqual(
    await page.getByRole('article').getByRole('heading', { level: 2 }).allTextContents(),
    live.toReversed(),
  );
  await page.getByRole('article', { name: live[1] }).getByText('No quotes were chosen.').waitFor();
  assert.equal(await page.getByText('quote was chosen.').count(), 0);
  await requireAccessible(page);
  await picture(page, 'report');

  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['.side', '.tabs', '.findings-page > .filters'])
    assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
  const pdf = await page.pdf({
    format: 'A4',
    ...(process.env.PICTURES && { path: `${process.env.PICTURES}/report.pdf` }),
  });
  const pages = pdf.toString('latin1').match(/\/Type \/Page\b/g);
  assert.ok(pages.length <= live.length, 'short findings share a page');
  await page.emulateMedia({ media: null });

  const download = page.waitForEvent('download');
  await page.getByRole('combobox', { name: 'Save as' }).selectOption('Markdown');
  const file = await download;
  assert.match(file.suggestedFilename(), /^receipts-report-what-we-know-b-\d{4}-\d\d-\d\d\.md$/);
  const text = readFileSync(await file.path(), 'utf8');
  assert.match(text, /^# What we know \\<b\\>\n\n## Summary\n\nReceipts are the bottleneck/);
  const places = [
    '## Method',
    'We called',
    'How the interviews were read',
    ...live.toReversed(),
    'Build an inbox',
  ];
  const at = places.map((words) => text.indexOf(words));
  assert.ok(!at.includes(-1) && at.every((n, i) => i === 0 || n > at[i - 1]), `${at}: ${text}`);
});

test('what was typed into a report is not lost by one key or a press beside it', async (t) => {
  const page = await visit(t, { height: 500 });
  const { one, path } = await studied('Keeps');
  await enter(page, one, path);
  let dialog = await openDialog(page);
  const edge = await dialog.boundingBox();
  const save = await dialog.getByRole('button', { name: 'Save' }).boundingBox();
  assert.ok(save.y + save.height <= edge.y + edge.height, 'Save is in sight');
  await dialog.getByLabel('Summary').fill('Receipts are the bottleneck.');
  const { x, y, width } = await dialog.boundingBox();
  await page.mouse.click(x + width - 3, y + 200); // the scrollbar
  await gone(page.getByRole('alert'));
  await page.mouse.click(2, 2);
  await page.getByRole('alert').getByText('close again to lose the changes').waitFor();
  assert.equal(await dialog.getByLabel('Summary').inputValue(), 'Receipts are the bottleneck.');
  await page.keyboard.press('Escape');
  await gone(dialog);
  dialog = await openDialog(page);
  await page.keyboard.press('Escape');
  await gone(dialog); // nothing was changed
});

test('findings are chosen, and moved by dragging', async (t) => {
  const page = await visit(t, { width: 390, height: 844, colorScheme: 'dark' });
  const { one, live, parked, path } = await studied('Chooses findings');
  await enter(page, one, path);
  await page.locator('.overview').waitFor();
  await requireAccessible(page);
  const tab = await page.locator('.tabs a[aria-current]').boundingBox();
  assert.ok(tab.x >= 0 && tab.x + tab.width <= 390, 'the tab of the report is in view');
  const dialog = await openDialog(page);
  await requireAccessible(page);
  await picture(page, 'report-dialog-narrow');
  await dialog.getByRole('checkbox', { name: parked.statement }).check();
  const row = (statement) => dialog.locator('.report-order li', { hasText: statement });
  await row(parked.statement).dragTo(row(live[0]));
  await dialog.getByRole('checkbox', { name: live[1] }).uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await gone(dialog);
  const want = `${[parked.statement, live[0]]}`;
  await eventually(async () => `${await listed(page)}` === want);
  await page.getByText('1 hypothesis of the project is not in this report.').waitFor();
});

test('a report that somebody else saved in the meantime is not replaced without asking', async (t) => {
  const page = await visit(t);
  const { one, project, path } = await studied('Writes');
  const row = { project_id: project.id, summary: 'First.' };
  const [report] = await one.call('POST', '/rest/v1/reports', row);
  await enter(page, one, path);
  await page.getByText('First.').waitFor();
  const dialog = await openDialog(page);
  await dialog.getByLabel('Summary').fill('Mine.');
  await one.call('PATCH', `/rest/v1/reports?id=eq.${report.id}`, { summary: 'Theirs.' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/Writes saved the report in the meantime/).waitFor();
  await dialog.getByText('What they saved').click();
  await dialog.getByText('Theirs.').waitFor();
  const summary = async () => (await one.call('GET', `/rest/v1/reports?id=eq.${report.id}`))[0].summary;
  assert.equal(await summary(), 'Theirs.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await gone(dialog);
  await page.getByText('Mine.').waitFor();
  assert.equal(await summary(), 'Mine.');
});

test('a link shows the report without an account, until it is revoked', async (t) => {
  const page = await visit(t);
  const { one, project, live, path } = await studied('Publishes a report');
  await enter(page, one, path);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share report' });
  await dialog.getByText('No links yet.').waitFor();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = new URL(await dialog.getByLabel('The link', { exact: true }).inputValue());
  await one.call('PATCH', `/rest/v1/reports?project_id=eq.${project.id}`, {
    title: 'What we know',
    summary: '<img src=x onerror=alert(1)> is a summary.',
    recommendations: 'Build an inbox.',
  });

  for (const options of [{}, { width: 390, height: 844, colorScheme: 'dark' }]) {
    const guest = await visit(t, options);
    const asked = [];
    guest.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await guest.goto(base + link.pathname + link.hash);
    await heading(guest, 'What we know').waitFor();
    await guest.getByText('<img src=x onerror=alert(1)> is a summary.').waitFor();
    await guest.getByText('Build an inbox.').waitFor();
    assert.deepEqual(await listed(guest), live);
    const text = await guest.locator('main').innerText();
    assert.ok(text.includes('Participant 1'), text);
    for (const hidden of ['Priya', 'Ines', project.workspace.name])
      assert.ok(!text.includes(hidden), `${hidden}: ${text}`);
    for (const name of ['Edit', 'Share']) assert.equal(await guest.getByRole('button', { name }).count(), 0);
    assert.deepEqual(
      asked.filter((name) => /^\/(rest|auth|api)\//.test(name)),
      ['/api/findings/shared'],
    );
    await requireAccessible(guest);
    await picture(guest, `shared-report-${options.width ? 'narrow-dark' : 'wide-light'}`);
  }

  const guest = await visit(t);
  await guest.goto(base + link.pathname + link.hash);
  await heading(guest, 'What we know').waitFor();
  await dialog.getByRole('button', { name: /^Revoke/ }).click();
  await dialog.getByText('No links yet.').waitFor();
  await guest.reload();
  await heading(guest, 'This link does not work').waitFor();
});

test('viewers read the report, and cannot write or share it', async (t) => {
  const page = await visit(t);
  const { one, project, path } = await studied('Owns a report');
  const viewer = await person('Reads a report');
  await joined(one, project, viewer, 'viewer');
  await enter(page, viewer, path);
  await page.locator('.overview').waitFor();
  for (const name of ['Edit', 'Share'])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
});
