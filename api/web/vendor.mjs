// Copies the libraries and fonts of the page from node_modules to assets, with the notices of their licences,
// so that building the program does not need Node. Run it with `npm ci && npm run vendor`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import subset from 'subset-font';

const here = new URL('.', import.meta.url);
const bytes = (path) => readFileSync(new URL('node_modules/' + path, here));
const read = (path) => bytes(path).toString('utf8');
const write = (path, content) => writeFileSync(new URL('assets/' + path, here), content);
const version = (name) => JSON.parse(read(name + '/package.json')).version;

const files = [
  {
    to: 'preact.js',
    name: 'preact',
    from: 'preact/dist/preact.mjs',
    licence: 'MIT, Copyright (c) 2015-present Jason Miller',
  },
  {
    to: 'hooks.js',
    name: 'preact',
    from: 'preact/hooks/dist/hooks.mjs',
    licence: 'MIT, Copyright (c) 2015-present Jason Miller',
  },
  { to: 'htm.js', name: 'htm', from: 'htm/dist/htm.mjs', licence: 'Apache-2.0, Copyright 2018 Google Inc.' },
];
for (const { to, name, from, licence } of files) {
  const code = read(from)
    .replace(/\n?\/\/# sourceMappingURL=.*\n?/, '')
    .replaceAll('from"preact"', 'from"./preact.js"'); // browsers resolve paths, not package names
  write(
    'vendor/' + to,
    `/* ${name} ${version(name)}, ${licence}. Copied by vendor.mjs; do not edit. */\n${code.trim()}\n`,
  );
}

// Inter loses the glyphs and weights that the page does not use. Source Serif is copied unchanged, because
// its licence reserves the name for unmodified fonts.
const inter = '@fontsource-variable/inter';
const serif = '@fontsource/source-serif-4';
const range = (from, to) =>
  String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, i) => from + i));
const latin = range(0x20, 0x7e) + range(0xa0, 0xff) + 'ıŒœŠšŸŽž–—‘’‚“”„•…‹›€™←↑→↓−';
const wght = { min: 400, max: 700 };
mkdirSync(new URL('assets/fonts', here), { recursive: true });
for (const [to, from, text] of [
  ['inter.woff2', 'inter-latin-wght-normal.woff2', latin],
  ['inter-ext.woff2', 'inter-latin-ext-wght-normal.woff2', range(0x100, 0x24f) + range(0x1e00, 0x1eff)],
]) {
  const font = bytes(`${inter}/files/${from}`);
  write('fonts/' + to, await subset(font, text, { targetFormat: 'woff2', variationAxes: { wght } }));
}
write('fonts/source-serif.woff2', bytes(`${serif}/files/source-serif-4-latin-400-normal.woff2`));
write('fonts/source-serif-ext.woff2', bytes(`${serif}/files/source-serif-4-latin-ext-400-normal.woff2`));

write(
  'vendor/LICENSES.txt',
  ['preact', 'htm', inter, serif]
    .map((name) => `${name} ${version(name)}\n\n${read(name + '/LICENSE').trim()}\n`)
    .join('\n\n'),
);
