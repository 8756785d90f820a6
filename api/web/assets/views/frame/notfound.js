// Shown for what does not exist and for what the user may not see.
import { html } from '../../page/html.js';
import { Title } from '../../page/ui.js';

/** @param {{ what?: string }} props */
export const NotFound = ({ what = 'page' }) => html`
  <main class="alone" id="main">
    <${Title} text="Not found">There is no such ${what}<//>
    <p>
      It does not exist, it was deleted, or it belongs to a workspace that you are not a member of. If
      somebody sent you the link, ask them to invite you.
    </p>
    <p><a class="button" href="/">Go to your projects</a></p>
  </main>
`;
