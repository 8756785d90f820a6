// How assistants are connected.
import { html } from '../../page/html.js';
import { config } from '../../client/session.js';
import { CopyField } from '../shared/copyfield.js';

// How an address is given to each client, in one line.
/** @type {(address: string) => [string, Children][]} */
const clients = (address) => [
  ['Claude', 'Settings, Connectors, Add custom connector: paste the address.'],
  ['ChatGPT', 'Settings, Apps & Connectors, Create (in developer mode): paste the address.'],
  [
    'Claude Code',
    html`
      <code>claude mcp add --transport http research ${address}</code>
    `,
  ],
  [
    'Cursor',
    html`
      In ${' '}
      <code>mcp.json</code>
      :${' '}
      <code>{"mcpServers": {"research": {"url": "${address}"}}}</code>
    `,
  ],
  ['VS Code', 'Command “MCP: Add Server…”, HTTP: paste the address.'],
];

export const Assistants = () =>
  config.mcp &&
  html`
    <section class="card" aria-labelledby="assistants">
      <h2 id="assistants">Connect an assistant</h2>
      <p class="faint">
        An assistant with this address can search your interviews, read hypotheses and evidence, and add to
        them, after you have allowed it. It sees what you see, and deletes nothing.
      </p>
      <${CopyField} label="Address" value=${config.mcp} />
      <dl class="pairs">
        ${clients(config.mcp).map(
          ([name, how]) => html`
            <dt key=${name}>${name}</dt>
            <dd>${how}</dd>
          `,
        )}
      </dl>
      <p class="hint">
        Claude and ChatGPT call from the internet: they do not reach a server in a private network. Programs
        on your computer do.${' '}
        <a href="/docs/assistants.md" target="_blank">The guide</a>
        ${' '}says more.
      </p>
    </section>
  `;
