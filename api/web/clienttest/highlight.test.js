// What the page marks of the words of a search.
import assert from 'node:assert/strict';
import test from 'node:test';
import { served } from './harness.js';

const { hitsIn } = await served('views/transcript/highlight.js');

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
