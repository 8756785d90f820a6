// Which app asks, and where the answer goes.
import { html } from '../../page/html.js';
import { nameOf } from '../shared/scopes.js';

// What is known of an app's name, by how the server came to know the app.
/** @type {Record<string, (client: OAuthClient) => string>} */
const knowledge = {
  manual: () => 'The operator of this server has registered this app.',
  metadata_document: ({ host }) => `The name is what ${host} says. Nobody else has checked it.`,
  dynamic: () => 'Nobody has checked this name: any app can call itself that.',
};

/** @param {{ client: OAuthClient, to: import('./destination.js').Destination }} props */
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
    <p class="goal">
      The answer goes to${' '}
      <${Goal} to=${to} />
      .
    </p>
  </div>
`;

/** @param {{ to: import('./destination.js').Destination }} props */
function Goal({ to }) {
  if (to.kind === 'site')
    return html`
      <b>${to.host}</b>
    `;
  return html`
    <b>an app on this computer</b>
    ${to.kind === 'scheme' && ` that opens ${to.scheme}: links`}
  `;
}
