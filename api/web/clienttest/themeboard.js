// What scenes do on the board of themes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gone } from './harness.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// accessible fails if axe finds something on the page.
export async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`),
    [],
  );
}

export const current = (page) => page.locator('[data-item][aria-current=true]');
// press presses keys one after the other.
export async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}
// choose picks a theme in the open dialog, or makes a new one.
export async function choose(page, dialog, name) {
  const box = page.getByRole('dialog', { name: dialog }).getByRole('combobox');
  await box.fill(name);
  await box.press('Enter');
  await gone(page.getByRole('dialog'));
}
// done waits until the bar below the board says something.
export const done = (page, text) => page.locator('.theme-bar .done').getByText(text).waitFor();
