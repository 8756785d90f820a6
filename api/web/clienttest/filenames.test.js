// Names of the files that the page saves.
import assert from 'node:assert/strict';
import test from 'node:test';
import { served } from './harness.js';

const { fileName } = await served('views/export/save.js');

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
