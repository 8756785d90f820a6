// Copies the viewer of /docs from node_modules to page/vendor, compressed, with its licence.
// Run by `npm ci --ignore-scripts && npm run vendor`.
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const here = new URL('.', import.meta.url);
const read = (name) => readFileSync(new URL('node_modules/swagger-ui-dist/' + name, here), 'utf8');
const write = (name, content) => writeFileSync(new URL('page/vendor/' + name, here), content);

for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) {
  // Without the address of the source map, which is not served.
  const code = read(name).replace(/\n?(\/\/# |\/\*# )sourceMappingURL=.*\n?/, '\n');
  write(name + '.gz', gzipSync(code, { level: 9 }));
}
const { version } = JSON.parse(read('package.json'));
const notices = ['NOTICE', 'LICENSE', 'swagger-ui-bundle.js.LICENSE.txt'].map((name) => read(name).trim());
write('LICENSE.txt', [`swagger-ui ${version}, Apache-2.0`, ...notices].join('\n\n') + '\n');
