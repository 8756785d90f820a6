// What a project is exported as for other programs.
import { html } from '../../page/html.js';
import { problem } from '../../page/messages.js';
import { saveExchange } from './save.js';

/** @param {{ context: Context }} props */
export const Export = ({ context }) => html`
  <h3>Export</h3>
  <p>
    A project has the interviews, the quotes that somebody accepted, and themes and hypotheses as codes.
    Suggestions that nobody has accepted are left out. A codebook has the codes alone.
  </p>
  <div class="actions">
    <button onClick=${() => saveExchange(context, 'qdc').catch(problem)}>Codebook (.qdc)</button>
    <button onClick=${() => saveExchange(context, 'qdpx').catch(problem)}>Project (.qdpx)</button>
  </div>
`;
