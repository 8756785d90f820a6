// What the owners and admins of a workspace decide.
import { html, useState } from '../../page/html.js';
import { update } from '../../client/api.js';
import { config } from '../../client/session.js';
import { problem, toast } from '../../page/messages.js';
import { loadPlaces } from '../../page/places.js';

/** @typedef {'require_mfa' | 'check_speakers'} Switched a column */

// Switch is a checkbox that is saved at once.
/**
 * @param {object} props
 * @param {Workspace} props.workspace
 * @param {Switched} props.column
 * @param {string} props.label
 * @param {string} props.hint
 * @param {[on: string, off: string]} props.said once it is saved
 */
function Switch({ workspace, column, label, hint, said }) {
  const [chosen, setChosen] = useState(/** @type {boolean | null} */ (null)); // until that is saved
  /** @param {{ currentTarget: HTMLInputElement }} event */
  async function choose(event) {
    const { checked } = event.currentTarget;
    setChosen(checked);
    try {
      await update('workspaces', { id: `eq.${workspace.id}` }, { [column]: checked });
      toast(said[checked ? 0 : 1]);
    } catch (error) {
      problem(error);
    }
    await loadPlaces().finally(() => setChosen(null));
  }
  return html`
    <label class="check">
      <input type="checkbox" checked=${chosen ?? workspace[column]} onChange=${choose} />
      <span>
        ${label}${' '}
        <span class="faint">${hint}</span>
      </span>
    </label>
  `;
}

// Security says whether members need a second factor.
/** @param {{ workspace: Workspace }} props */
export const Security = ({ workspace }) => html`
  <h2>Security</h2>
  <${Switch}
    workspace=${workspace}
    column="require_mfa"
    label="Require a second factor."
    hint="Members without one do not see this workspace. Set up your own first, in the settings."
    said=${['Members now need a second factor.', 'A second factor is no longer required.']}
  />
`;

// Speakers says whether a model is asked about labels in doubt.
/** @param {{ workspace: Workspace }} props */
export const Speakers = ({ workspace }) =>
  config.usesModel &&
  html`
    <h2>Speakers</h2>
    <${Switch}
      workspace=${workspace}
      column="check_speakers"
      label="Ask the model about speakers in doubt."
      hint="Before an analysis, it gets the labels in doubt, with a few lines around each."
      said=${['The model is asked about speakers in doubt.', 'The model is no longer asked about speakers.']}
    />
  `;
