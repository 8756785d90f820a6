// What views say when there is nothing: what is so, and what the person who looks can do.
import assert from 'node:assert/strict';
import test from 'node:test';
import { joined } from './judged.js';
import { base, enter, person, picture, visit } from './harness.js';

const views = ['', '/evidence', '/interviews', '/questions', '/personas', '/review', '/findings'];
const invites = /Write your|Write down|Drop |Upload one|Collect the|Choose the/;
const waits = /editor of this workspace|Editors of this workspace|appear here when an interview is analysed/;

test('views without content say what is so, to editors and viewers', async (t) => {
  const editor = await person('Nothing');
  const reader = await person('Reader');
  const project = await editor.project();
  await joined(editor, project, reader, 'viewer');
  const page = await visit(t);
  const their = await visit(t);
  await enter(page, editor);
  await enter(their, reader);
  const said = async (of, view) => {
    await of.goto(base + project.path + view);
    await of.locator('main .empty').waitFor();
    return (await of.locator('main .empty').innerText()).replace(/\s+/g, ' ');
  };

  for (const view of views) {
    const text = await said(their, view);
    assert.doesNotMatch(text, invites, `${view}: a viewer cannot`);
    assert.match(text, waits, view);
  }
  await picture(their, 'nothing-viewer');
  assert.match(await said(page, '/review'), /^Nothing to review There are no quotes to judge\./);
  assert.match(await said(page, ''), /Write down a few/);
  await page.getByText('Find evidence in what you upload, then accept or reject each quote.').waitFor();

  const [h] = await editor.call('POST', '/rest/v1/hypotheses', {
    project_id: project.id,
    statement: 'Receipts take long.',
  });
  assert.match(await said(page, '/evidence'), /There are no interviews yet\. Upload one to have it searched/);
  assert.match(await said(their, '/evidence'), /There are no interviews yet: an editor/);
  assert.match(await said(page, `/review?h=${h.id}`), /There are no quotes to judge for this hypothesis\./);

  await editor.upload(project, 'Ada.txt', 'Interviewer: Well?\nAda: It takes an hour.\n');
  assert.match(await said(page, '/evidence'), /No interview was checked for this hypothesis yet: one waits/);
  assert.equal(await page.locator('.conclusion .headline').innerText(), 'Not checked with 1 participant');
  await page.goto(`${base}${project.path}/evidence?group=has%3Arole%3Downer`);
  await page.getByText('The filter matches no participant').waitFor();
  await page.locator('.switch').getByText('Nobody of the filter').waitFor();
  await page.goto(`${base}${project.path}/findings?h=${h.id}`);
  await page.getByText('No interview was analysed for this hypothesis.').waitFor();

  const bare = await editor.project();
  const talk = await editor.upload(bare, 'Ben.txt', 'Interviewer: Well?\nBen: It takes a day.\n');
  await page.goto(`${base}/imports/${talk}`);
  await page.getByText('Add hypotheses to the project, or select words').waitFor();
});
