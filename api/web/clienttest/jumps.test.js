// Views load without jumps: what is shown stays where it is, so that a click meets what it was aimed at.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, enter, figure, heading, lena, quiet, scene, visit } from './harness.js';

const MOST = 0.1; // the limit of "good" for the cumulative layout shift (web.dev/articles/cls)

const views = {
  hypotheses: [scene, (page) => page.locator('.grid table')],
  evidence: [`${scene}/evidence`, (page) => page.getByRole('article').first()],
  interviews: [`${scene}/interviews`, (page) => page.locator('.imports li').first()],
  findings: [`${scene}/findings`, (page) => page.locator('.findings figure').first()],
  review: [`${scene}/review`, (page) => page.locator('.turn-row mark')],
  settings: ['/settings', (page) => page.getByRole('button', { name: 'Export your data' })],
  workspace: ['/workspaces/ledgerly', (page) => page.locator('.members li').first()],
};

for (const [width, height] of [
  [1280, 860],
  [390, 844],
])
  test(`views of ${width} pixels load without jumps`, async (t) => {
    const page = await visit(t, { width, height });
    await page.addInitScript(() => {
      globalThis.shifted = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) globalThis.shifted += value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await enter(page, lena);
    await heading(page, 'Projects').waitFor();
    const all = [];
    for (const [name, [path, shown]] of Object.entries(views)) {
      await page.goto(base + path);
      await shown(page).waitFor();
      await quiet(page);
      const shifted = await page.evaluate(() => globalThis.shifted);
      all.push(`${name} ${shifted.toFixed(3)}`);
      assert.ok(shifted <= MOST, `${name}: ${shifted}`);
    }
    figure(t, `layout shift at ${width} pixels: ${all.join(', ')} (limit ${MOST})`);
  });
