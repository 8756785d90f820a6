// Receives events from the service, verifies their signatures, and prints them. Needs Node 20 or newer, and
// the package standardwebhooks.
//
//   WEBHOOK_SECRET=whsec_… node webhook.mjs 8080
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const [port] = process.argv.slice(2);
const secret = process.env.WEBHOOK_SECRET ?? '';
if (!port) fail('usage: WEBHOOK_SECRET=whsec_… node webhook.mjs PORT');
if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) {
  fail('WEBHOOK_SECRET must be the secret that the service showed: whsec_…');
}
const webhook = new Webhook(secret);

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

createServer(async (request, response) => {
  let event;
  try {
    event = webhook.verify(await text(request), request.headers);
  } catch {
    response.writeHead(400).end(); // the signature is not valid, or too old
    return;
  }
  // An event may arrive again with the same id. Store it, answer, and do the work afterwards.
  console.log(event.type, event.id);
  response.writeHead(204).end();
}).listen(port, '127.0.0.1');
