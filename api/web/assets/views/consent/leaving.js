// The way back to the app, after the answer.
import { html, useEffect } from '../../page/html.js';
import { Title } from '../../page/ui.js';

const titles = { approve: 'Access allowed', deny: 'You denied access', before: 'You allowed this before' };

/**
 * @param {object} props
 * @param {string} props.url which destination() has checked
 * @param {import('../shared/destination.js').Destination} props.to
 * @param {keyof typeof titles} props.answer
 */
export function Leaving({ url, to, answer }) {
  useEffect(() => location.assign(url), []);
  return html`
    <${Title}>${titles[answer]}<//>
    ${
      to.kind === 'site'
        ? html`
            <p>
              Going back to${' '}
              <b>${to.host}</b>
              …
            </p>
          `
        : html`
            <p>You can close this window${to.kind === 'scheme' ? '.' : ' once the app has the answer.'}</p>
          `
    }
    <p class="hint">
      Nothing happens?${' '}
      <a href=${url}>${to.kind === 'site' ? `Continue to ${to.host}` : 'Open the app'}</a>
    </p>
  `;
}
