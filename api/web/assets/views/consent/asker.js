// Which app asks, and where the answer goes.
import { html } from '../../page/html.js';
import { placeName } from '../shared/destination.js';
import { nameOf } from '../shared/scopes.js';

// What is known of an app's name, by how the server came to know the app.
/** @type {Record<string, (client: OAuthClient) => string>} */
const knowledge = {
  manual: () => 'The operator of this server has registered this app.',
  metadata_document: ({ host }) => `The name is what ${host} says. Nobody else has checked it.`,
  dynamic: () => 'Nobody has checked this name: any app can call itself that.',
};

/** @param {{ client: OAuthClient, to: import('../shared/destination.js').Destination }} props */
export const Asker = ({ client, to }) => html`
  <div class="asker">
    <p class="name" dir="auto">${nameOf(client.name)}</p>
    ${
      client.registration_type === 'metadata_document' &&
      html`
        <p class="host">${client.host}</p>
      `
    }
    <p class="hint">${(knowledge[client.registration_type] ?? knowledge.dynamic)(client)}</p>
    <p>
      The answer goes to${' '}
      <b>${placeName(to)}</b>
      .
    </p>
  </div>
`;
