import { html } from '../../page/html.js';

// WriteFirst says what to do in a project without hypotheses, to those who can and to those who cannot.
/** @param {{ context: Context }} props */
export const WriteFirst = ({ context }) =>
  context.canEdit
    ? html`
        <a href=${`/projects/${context.id}`}>Write your first hypothesis</a>
        .
      `
    : 'Nobody has written one yet: an editor of this workspace can.';
