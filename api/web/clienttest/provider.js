// A provider of OpenID Connect on this machine, with a page that asks whom to sign in.
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before } from 'node:test';

const origin = process.env.PROVIDER_URL;
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const kid = 'one';

// What was allowed, by code.
const codes = new Map();
const accounts = new Map(); // by access token

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(claims) {
  const text = `${base64url({ alg: 'RS256', kid, typ: 'JWT' })}.${base64url(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

// accountOf is the account with a name and, if there is one, an address.
const accountOf = (name, email, verified) => ({
  sub: createHash('sha256').update(`${name} ${email}`).digest('hex'),
  name,
  ...(email && { email, email_verified: verified }),
});

const form = (query) => `<!doctype html>
  <html lang="en"><title>Acme</title><link rel="icon" href="data:,">
  <h1>Sign in to Acme</h1>
  <form method="post" action="/authorize?${query.replaceAll('&', '&amp;')}">
    <label>Name <input name="name"></label>
    <label>Address <input name="email"></label>
    <label><input type="checkbox" name="verified" value="yes" checked> It is theirs</label>
    <button name="answer" value="allow">Allow</button>
    <button name="answer" value="deny">Deny</button>
  </form>`;

// authorize answers the form of the page, with a redirect to the client.
function authorize(query, body) {
  const to = new URL(query.get('redirect_uri'));
  to.searchParams.set('state', query.get('state'));
  to.searchParams.set('iss', origin);
  if (body.get('answer') === 'deny') {
    to.searchParams.set('error', 'access_denied');
    to.searchParams.set('error_description', 'The words of the provider');
  } else {
    const code = randomUUID();
    codes.set(code, { query, account: accountOf(body.get('name'), body.get('email'), body.has('verified')) });
    to.searchParams.set('code', code);
  }
  return to.href;
}

function token(body) {
  const { query, account } = codes.get(body.get('code')) ?? {};
  codes.delete(body.get('code'));
  const challenge = createHash('sha256')
    .update(body.get('code_verifier') ?? '')
    .digest('base64url');
  if (query?.get('code_challenge') !== challenge) return [400, { error: 'invalid_grant' }];
  const access = randomUUID();
  accounts.set(access, account);
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: origin,
    aud: query.get('client_id'),
    iat: now,
    exp: now + 300,
    nonce: query.get('nonce'),
    ...account,
  };
  return [200, { access_token: access, token_type: 'Bearer', expires_in: 300, id_token: signed(claims) }];
}

const documents = {
  '/.well-known/openid-configuration': () => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/keys`,
    userinfo_endpoint: `${origin}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }),
  '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] }),
};

async function textOf(request) {
  let text = '';
  for await (const part of request) text += part;
  return new URLSearchParams(text);
}

const server = createServer(async (request, response) => {
  const { pathname, search, searchParams } = new URL(request.url, origin);
  const json = (status, value) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (documents[pathname]) json(200, documents[pathname]());
  else if (pathname === '/userinfo') json(200, accounts.get(request.headers.authorization?.split(' ')[1]));
  else if (pathname === '/token') json(...token(await textOf(request)));
  else if (request.method === 'POST') {
    response.writeHead(303, { Location: authorize(searchParams, await textOf(request)) });
    response.end();
  } else {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(form(search.slice(1)));
  }
});

// provided has the provider listen while the tests of a file run.
export function provided() {
  before(() => new Promise((resolve) => server.listen(new URL(origin).port, '127.0.0.1', resolve)));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return origin;
}

// allow answers the page of the provider.
export async function allow(page, { name, email = '', verified = true }) {
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Address').fill(email);
  await page.getByLabel('It is theirs').setChecked(verified);
  await page.getByRole('button', { name: 'Allow' }).click();
}
