// What the page marks of the words of a search.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base } from './harness.js';

const shell = await (await fetch(base)).text();
const [assets] = /\/assets\/[\w-]+\//.exec(shell);
const code = await (await fetch(`${base}${assets}views/transcript/highlight.js`)).text();
const { hitsIn } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

test('words in double quotes are marked where they are whole', () => {
  const text = 'An hour, or hours';
  for (const [query, want] of [
    ['hour', ['hour', 'hour']],
    ['"hour"', ['hour']],
    ['"hour".', ['hour']],
    ['"hour', ['hour', 'hour']],
    ['"an" hou', ['An', 'hou', 'hou']],
  ])
    assert.deepEqual(
      hitsIn(text, query).map(({ from, to }) => text.slice(from, to)),
      want,
      query,
    );
});
