// Groups of people, by persona, language or an attribute.
import assert from 'node:assert/strict';
import test from 'node:test';
import { served } from './harness.js';

globalThis.navigator ??= { language: 'en-GB' };
const { groupings, groupText, inGroup, segmentsOf } = await served('views/shared/groups.js');

let people = 0;
const somebody = (attributes = {}, more = {}) => ({
  key: `p${++people}`,
  personaId: null,
  language: '',
  attributes,
  ...more,
});
const sizes = (segments) => segments.map(({ name, members }) => [name, members.size]);

test('a value is the same whatever its case, spaces and type', () => {
  const all = [
    somebody({ role: 'Owner' }),
    somebody({ Role: ' owner ' }),
    somebody({ role: 'barista' }),
    somebody({ role: '' }),
    somebody({ role: null, sites: 3 }),
    somebody({ sites: '3' }),
    somebody(),
  ];
  assert.deepEqual(groupings(all), ['persona', 'language', 'has:role', 'has:sites']);
  assert.deepEqual(sizes(segmentsOf(all, 'has:role', [])), [
    ['barista', 1],
    ['Owner', 2],
    ['not given', 4],
  ]);
  assert.deepEqual(sizes(segmentsOf(all, 'has:sites', [])), [
    ['3', 2],
    ['not given', 5],
  ]);
});

test('personas and languages are groups too', () => {
  const personas = [{ id: 'a', name: 'Baristas' }];
  const all = [
    somebody({}, { personaId: 'a', language: 'de' }),
    somebody({}, { personaId: 'a', language: 'en' }),
    somebody({}, { personaId: 'of another project' }),
  ];
  assert.deepEqual(sizes(segmentsOf(all.slice(0, 2), 'persona', personas)), [['Baristas', 2]]);
  assert.deepEqual(sizes(segmentsOf(all, 'language', personas)), [
    ['English', 1],
    ['German', 1],
    ['not known', 1],
  ]);
  assert.equal(groupText('persona:a', personas), 'Persona: Baristas');
  assert.equal(groupText('language:de', personas), 'Language: German');
  assert.equal(groupText('has:role=', personas), 'role: not given');
});

test('the most frequent values have a group each, and the rest one', () => {
  const all = Array.from({ length: 200 }, (_, i) => somebody({ sites: i < 100 ? i % 8 : i, ['k' + i]: i }));
  const ways = groupings(all);
  assert.equal(ways.length, 2 + 20);
  assert.ok(ways.includes('has:sites'), 'which most people have');
  const segments = segmentsOf(all, 'has:sites', []);
  assert.deepEqual(
    segments.map(({ name }) => name),
    ['0', '1', '2', '3', '4', '5', '6', '7', 'other (100 values)'],
  );
  assert.equal(segments.at(-1).members.size, 100);
  assert.equal(groupText(segments.at(-1).group, []), 'sites: other');
  const nine = segmentsOf(all.slice(0, 8).concat(all.slice(100, 101)), 'has:sites', []);
  assert.equal(nine.length, 9, 'one value alone is not another');
});

test('the group in an address has the members of its column, whatever the names', () => {
  const odd = [
    'a=b',
    'a:b',
    '100%',
    '%41',
    'ÄRGER',
    '"',
    '👩‍🌾'.repeat(40),
    'x'.repeat(50_000),
    '[]',
    'other:',
  ];
  const all = odd.flatMap((text, i) => [
    somebody({ [text]: text, role: `${text}${i}` }),
    somebody({ [text]: '' }, { language: i % 2 ? 'de' : '' }),
  ]);
  for (const by of groupings(all))
    for (const { group, members } of segmentsOf(all, by, [])) {
      const read = new URLSearchParams({ group }).toString();
      const same = new URLSearchParams(read).get('group');
      assert.deepEqual(
        new Set(all.filter((p) => inGroup(p, same)).map(({ key }) => key)),
        members,
        `${by} ${group}`,
      );
      assert.ok(read.length < 6000, `${read.length} characters`);
      assert.ok([...groupText(group, [])].length < 150);
    }
});

test('an address that names no group has nobody or the people without it, and no error', () => {
  const one = somebody({ role: 'owner' });
  for (const group of [
    'x',
    'has:',
    'has:%',
    'has:%=1',
    'other:',
    'other:{',
    'other:[]',
    'other:1',
    'language:',
  ]) {
    assert.equal(typeof inGroup(one, group), 'boolean', group);
    assert.equal(typeof groupText(group, []), 'string', group);
  }
});
