// What a receiver got, verified by the specification's own library.
// RECEIVED is {secret, requests: [{headers, body}]}.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Webhook } from 'standardwebhooks';

const { secret, requests } = JSON.parse(process.env.RECEIVED);
const webhook = new Webhook(secret);

test('every request is verified, and has the body of an event', () => {
  assert.ok(requests.length > 0);
  for (const { headers, body } of requests) {
    const event = webhook.verify(body, headers);
    assert.equal(event.id, headers['webhook-id']);
    assert.match(event.type, /^import\./);
    assert.ok(Date.parse(event.timestamp));
    assert.ok(event.data.importId);
  }
});

test('another body, another id and another secret are not', () => {
  const { headers, body } = requests[0];
  assert.throws(() => webhook.verify(body + ' ', headers));
  assert.throws(() => webhook.verify(body, { ...headers, 'webhook-id': 'another' }));
  assert.throws(() => new Webhook('whsec_' + Buffer.alloc(32).toString('base64')).verify(body, headers));
});
