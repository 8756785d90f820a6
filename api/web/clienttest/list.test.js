// The list of interviews: search, filters and sorting, also of hundreds.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enter, eventually, figure, person, visit } from './harness.js';

const INTERVIEWS = 500;
const NODES = 1000; // the maximum number of elements in the document

const id = (n) => `00000001-0000-4000-8000-${String(n).padStart(12, '0')}`;

// crowded answers the requests for the interviews of a project.
async function crowded(page) {
  const rows = Array.from({ length: INTERVIEWS }, (_, i) => ({
    id: id(i),
    title: `Interview ${i}`,
    filename: `file-${i}.txt`,
    format: 'text',
    persona_id: null,
    interviewed_on: null,
    status: ['parsed', 'parsed', 'uploaded', 'failed'][i % 4],
    error_message: 'The model is away.',
    evidence_count: i,
    rejected_count: 0,
    coverage: i % 8 ? 1 : 0.5,
    created_at: new Date(Date.UTC(2031, 0, 1, 0, i)).toISOString(),
  }));
  await page.route('**/rest/v1/imports?*', (route) => {
    const query = new URL(route.request().url()).searchParams;
    const from = Number(query.get('offset') ?? 0);
    return route.fulfill({ json: rows.toReversed().slice(from, from + Number(query.get('limit'))) });
  });
  await page.route('**/rest/v1/rpc/import_overviews', (route) => {
    const { imports } = route.request().postDataJSON();
    return route.fulfill({
      json: imports.map((one) => ({
        import_id: one,
        words: 900,
        duration_ms: 0,
        speakers: ['Lena', `Person ${Number(one.slice(-4))}`],
      })),
    });
  });
}

const titles = (page) => page.locator('.imports a.statement').allTextContents();
const first = async (page) => (await titles(page))[0];

test('interviews are found, filtered and sorted, and the address keeps that', async (t) => {
  const page = await visit(t);
  const one = await person('Lists');
  const project = await one.project('Receipts take long.');
  await crowded(page);
  await enter(page, one, `${project.path}/interviews`);
  await page.getByText('500 interviews', { exact: true }).waitFor();
  await eventually(async () => (await first(page)) === 'Interview 499');
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  figure(t, `a list of ${INTERVIEWS} interviews: ${nodes} elements (limit ${NODES})`);
  assert.ok(nodes <= NODES, `${nodes} elements are in the document`);

  const find = page.getByRole('group', { name: 'Find interviews' });
  await find.getByRole('combobox', { name: 'Sort by' }).selectOption('Oldest first');
  await eventually(async () => (await first(page)) === 'Interview 0');
  await find.getByRole('combobox', { name: 'Status' }).selectOption('Not fully analysed');
  await find.getByText('63 of 500 interviews').waitFor();
  await find.getByRole('combobox', { name: 'Status' }).selectOption('Failed or stopped');
  await find.getByText('125 of 500 interviews').waitFor();
  await find.getByRole('searchbox').fill('person 43');
  await find.getByText('8 of 500 interviews').waitFor();
  await eventually(async () => (await first(page)) === 'Interview 43');
  await page.reload();
  await find.getByText('8 of 500 interviews').waitFor();
  assert.equal(await find.getByRole('searchbox').inputValue(), 'person 43');
  await find.getByRole('searchbox').fill('nobody');
  await page.getByText('No interview matches.').waitFor();
  await find.getByRole('button', { name: 'Clear' }).click();
  await eventually(async () => (await first(page)) === 'Interview 0');
});
