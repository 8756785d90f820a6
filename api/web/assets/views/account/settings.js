// The settings of the user.
import { html, useEffect, useState } from '../../page/html.js';
import { session } from '../../client/session.js';
import { here } from '../../page/places.js';
import { useStore } from '../../page/store.js';
import { Title } from '../../page/ui.js';
import { Unproven } from '../frame/unproven.js';
import { Apps } from './apps.js';
import { Assistants } from './assistants.js';
import { Devices } from './devices.js';
import { Digest } from './digest.js';
import { SecondFactor } from './factors.js';
import { Identities } from './identities.js';
import { Account } from './owndata.js';
import { Self } from './self.js';
import { Tokens } from './tokens.js';

export function Settings() {
  const { user } = useStore(session);
  const [ended, setEnded] = useState(0); // how often access has ended, whose lists are then loaded again
  useEffect(() => here.set(null), []);
  return html`
    <main id="main" class="page narrow">
      <header class="head"><${Title}>Settings<//></header>
      <${Unproven}>Until you confirm your address, no digests are sent to you.<//>
      <${Digest} user=${user} />
      <${Self} user=${user} />
      <${Identities} user=${user} onEnded=${() => setEnded(ended + 1)} />
      <${SecondFactor} />
      <${Devices} key=${`devices ${ended}`} />
      <${Assistants} />
      <${Apps} key=${`apps ${ended}`} />
      <${Tokens} key=${`tokens ${ended}`} />
      <${Account} user=${user} />
    </main>
  `;
}
