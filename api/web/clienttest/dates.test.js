// The dates that people paste into the table of files.
import assert from 'node:assert/strict';
import test from 'node:test';
import { served } from './harness.js';

const { readDate } = await served('views/upload/dates.js');

const days = {
  '2026-11-03': '2026-11-03',
  '2026/11/3': '2026-11-03',
  'segunda-feira, 3 de novembro de 2026': '2026-11-03',
  20261103: '2026-11-03',
  '2026-11-03 10:02': '2026-11-03',
  '2026-11-03T10:02:00Z': '2026-11-03',
  '03.11.2026': '2026-11-03',
  '3. 11. 26': '2026-11-03',
  '25/3/2026': '2026-03-25',
  '3/25/2026': '2026-03-25',
  '4/4/2026': '2026-04-04',
  '3 Nov 2026': '2026-11-03',
  '3-Nov-26': '2026-11-03',
  'Nov 3, 2026': '2026-11-03',
  'Tuesday, November 3rd, 2026': '2026-11-03',
  '3. März 2026': '2026-03-03',
  'Di., 3. Nov. 2026': '2026-11-03',
  '3 de noviembre de 2026': '2026-11-03',
  'mar, 3 nov 2026': '2026-11-03',
  '1er août 2026': '2026-08-01',
  '3 févr. 2026': '2026-02-03',
  '3 de março de 2026': '2026-03-03',
  '3 sept 2026': '2026-09-03',
  '11/3/2026': ['may be two days', 'day', 'month'],
  '30.02.2026': ['is no day'],
  '13/13/2026': ['is no day'],
  '3.11.1812': ['is no day'],
  '5 May': ['has no year'],
  'Nov 2026': ['has no day'],
  '26-11-03': ['has a year of two digits'],
  soon: ['is no date'],
  'Dave 3 Nov 2026': ['is no date'],
  '3 May or June 2026': ['is no date'],
  '3 May 2026 and 4 May 2026': ['is no date'],
};

test('dates are read in the forms and languages of spreadsheets', () => {
  for (const [text, want] of Object.entries(days)) {
    const { date, wrong, orders = [] } = readDate(text);
    assert.deepEqual(date ?? [wrong, ...orders], want, text);
  }
});
