// CSV that a spreadsheet opens with any separator.
import assert from 'node:assert/strict';
import test from 'node:test';
import { served } from './harness.js';

const { csv } = await served('views/export/csv.js');
const cell = (text) => csv([['name', (row) => row]], [text]).slice('\ufeffname\r\n'.length, -2);

// Every way to split a line at one of these finds no cell that begins with a formula.
const separators = [',', ';', '\t', '|'];
const isFormula = /^[\s"\u200b\u2060\ufeff\u00ad\u034f\u3164]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66]/;

test('no part of a cell is a formula, whatever separates cells', () => {
  const unseen = ['\u00a0', '\u200b', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u3164'];
  const prefixes = ['', ' ', '"', ' " ', ...unseen];
  for (const sign of ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20', '\ufe66'])
    for (const prefix of prefixes)
      for (const before of ['', 'hello', 'x;', '";', ';\t'])
        for (const separator of ['', ...separators, '\r\n', '\n', '\r']) {
          if (before === 'hello' && separator === '') continue;
          const text = `${before}${separator}${prefix}${sign}cmd|' /C calc'!A0`;
          const made = cell(text);
          for (const by of [...separators, '\r', '\n'])
            for (const part of `x,${made},x`.split(by))
              assert.doesNotMatch(part, isFormula, JSON.stringify([text, by, made]));
        }
});

test('cells are quoted where a separator is in them, and texts without formulas are as they are', () => {
  assert.equal(cell('hello;=cmd'), `"hello;'=cmd"`);
  assert.equal(cell('=1+1'), `"'=1+1"`);
  assert.equal(cell('\t=1'), `"'\t'=1"`);
  assert.equal(cell('a "b" c'), '"a ""b"" c"');
  for (const separator of [...separators, '\n'])
    assert.equal(cell(`one${separator} two`), `"one${separator} two"`);
  assert.equal(cell('Two plus two - or 2+2=4, me@example.com'), '"Two plus two - or 2+2=4, me@example.com"');
  assert.equal(cell('well-known = fine'), 'well-known = fine');
  assert.equal(cell(-1), '-1');
  assert.equal(cell(null), '');
});

test('a text of separators takes time in proportion to its length', () => {
  assert.equal(cell(';\t '.repeat(1_000_000) + 'x').length, 3_000_004);
});
