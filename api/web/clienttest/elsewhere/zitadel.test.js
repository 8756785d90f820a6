// Sign-in with an account of a provider that others wrote: the example of zitadel/oidc, whose form is in a
// page of its own. external_client_test.go starts this file apart from the other ones.
import assert from 'node:assert/strict';
import test from 'node:test';
import { base, heading, quiet, visit } from '../harness.js';

const provider = new URL(process.env.ISSUER).origin;
const [ann, ben] = JSON.parse(process.env.PEOPLE);
const leading = (t) => visit(t, { leadsTo: [provider] });
const button = (page) => page.getByRole('button', { name: 'Continue with Zitadel', exact: true });

async function fillIn(page, { Username, Password }) {
  await page.getByLabel('Username').fill(Username);
  await page.getByLabel('Password').fill(Password);
  await page.getByRole('button', { name: 'Login' }).click();
}

test('the button leads to the form of the provider, and back into the page', async (t) => {
  const page = await leading(t);
  for (const time of ['first', 'second']) {
    await page.goto(`${base}/settings`);
    await button(page).click();
    await fillIn(page, { ...ann, Password: 'wrong' });
    await page.getByText('username or password wrong').waitFor();
    assert.equal(new URL(page.url()).origin, provider);
    await fillIn(page, ann);
    await heading(page, 'Settings').waitFor();
    await page.getByText(`Signed in as ${ann.Email}.`).waitFor();
    assert.equal(page.url(), `${base}/settings`, `the ${time} time, without the code`);
    await quiet(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
  }
});

test('what the provider answers in one browser signs nobody in in another one', async (t) => {
  const [attacker, victim] = [await leading(t), await leading(t)];
  let callback;
  await attacker.route(`${provider}/login/username`, async (route) => {
    const { location } = (await route.fetch({ maxRedirects: 0 })).headers();
    const answer = await attacker.request.get(new URL(location, provider).href, { maxRedirects: 0 });
    callback = answer.headers().location;
    await route.fulfill({ body: 'kept' });
  });
  await attacker.goto(base);
  await button(attacker).click();
  await fillIn(attacker, ben);
  await attacker.getByText('kept').waitFor();
  assert.ok(callback.startsWith(`${base}/auth/v1/callback?`));
  await victim.goto(callback);
  await heading(victim, 'Sign in').waitFor();
  assert.equal(victim.url(), `${base}/`);
  await attacker.goto(callback);
  await attacker.locator('nav.places').waitFor({ state: 'attached' });
});
