// Names of the files that the page saves.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base } from './harness.js';

const shell = await (await fetch(base)).text();
const [assets] = /\/assets\/[\w-]+\//.exec(shell);
const code = await (await fetch(`${base}${assets}views/export/save.js`)).text();
const { fileName } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

test('the name of a file says the name of its project once', () => {
  const day = '-\\d{4}-\\d\\d-\\d\\d\\.md$';
  for (const [titles, want] of [
    [['Shift plans', 'report', 'Shift plans: what we learnt'], 'shift-plans-report-what-we-learnt'],
    [['Shift plans', 'report', 'Shift plans'], 'shift-plans-report'],
    [['Shift', 'report', 'Shifts of cooks'], 'shift-report-shifts-of-cooks'],
    [['', 'evidence', 'project', ''], 'evidence-project'],
    [['–', 'findings', 'Ça, café'], 'findings-ca-cafe'],
    [['a'.repeat(70), 'report', `${'a'.repeat(70)} B`], `${'a'.repeat(60)}-report-b`],
  ])
    assert.match(fileName(titles, 'md'), new RegExp(`^${want}${day}`));
});
