// The frame of the forms around signing in.
import { html } from '../../page/html.js';

/** @param {{ children: Children, below?: Children }} props */
export const Door = ({ children, below }) => html`
  <main class="door" id="main">
    <div class="card">
      <p class="brand">
        <span class="mark" aria-hidden="true"></span>
        Research
      </p>
      ${children}
    </div>
    ${below}
  </main>
`;
