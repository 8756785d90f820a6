import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base, visit } from './harness.js';

for (const [name, options] of Object.entries({
  desktop: {},
  'desktop-dark': { colorScheme: 'dark' },
  phone: { width: 390 },
  'phone-dark': { width: 390, colorScheme: 'dark' },
})) {
  test(`the reference is rendered: ${name}`, async (t) => {
    const page = await visit(t, options);
    await page.goto(`${base}/docs`);
    await page.locator('#operations-Imports-parseImport .opblock-summary-control').click();
    await page.getByText('Parsing has been initiated.').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  });
}
