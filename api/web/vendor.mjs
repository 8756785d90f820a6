// Copies the two libraries of the page from node_modules to assets/vendor, with the notices of their
// licences, so that building the program does not need Node. Run by `make generate`.
import { readFileSync, writeFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);
const read = (path) => readFileSync(new URL('node_modules/' + path, here), 'utf8');
const version = (name) => JSON.parse(read(name + '/package.json')).version;

const files = [
  { to: 'preact.js', name: 'preact', from: 'preact/dist/preact.mjs', licence: 'MIT, Copyright (c) 2015-present Jason Miller' },
  { to: 'hooks.js', name: 'preact', from: 'preact/hooks/dist/hooks.mjs', licence: 'MIT, Copyright (c) 2015-present Jason Miller' },
  { to: 'htm.js', name: 'htm', from: 'htm/dist/htm.mjs', licence: 'Apache-2.0, Copyright 2018 Google Inc.' },
];
for (const { to, name, from, licence } of files) {
  const code = read(from)
    .replace(/\n?\/\/# sourceMappingURL=.*\n?/, '')
    .replaceAll('from"preact"', 'from"./preact.js"'); // browsers resolve paths, not package names
  writeFileSync(new URL('assets/vendor/' + to, here), `/* ${name} ${version(name)}, ${licence}. Copied by vendor.mjs; do not edit. */\n${code.trim()}\n`);
}
writeFileSync(new URL('assets/vendor/LICENSES.txt', here), `preact ${version('preact')}\n\n${read('preact/LICENSE').trim()}\n\n\nhtm ${version('htm')}\n\n${read('htm/LICENSE').trim()}\n`);
