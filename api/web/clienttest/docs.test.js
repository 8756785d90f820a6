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

test('the guides are rendered', async (t) => {
  const page = await visit(t, { width: 390 });
  await page.goto(`${base}/docs`);
  await page.getByRole('navigation').getByRole('link', { name: 'The API' }).click();
  await page.locator('h2#your-first-requests').waitFor();
  assert.equal(await page.title(), 'The API · Workspace Research Service');
  await page.getByRole('navigation').getByRole('link', { name: 'Tables' }).click();
  await page.locator('h2#hypotheses').waitFor();
  await page.getByRole('cell', { name: 'falsified_if' }).first().waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
});
