// Checks every view and dialog, light and dark, wide and narrow, with axe and for overflow, and takes
// pictures.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import {
  base,
  drop,
  enter,
  figure,
  heading,
  lena,
  person,
  picture,
  quiet,
  scene,
  spoken,
  visit,
} from './harness.js';
import { label, scripted } from './scripted.js';
import { begin, register } from './apps.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// examine runs axe with its default rules or with the given ones, and checks that there is one main heading,
// a title and no horizontal overflow.
async function examine(page, name, rules) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const violations = await page.evaluate(
    async (values) =>
      (
        await globalThis.axe.run(document, {
          resultTypes: ['violations'],
          ...(values && { runOnly: { type: 'rule', values } }),
        })
      ).violations.map(({ id, impact, help, nodes }) => ({
        id,
        impact,
        help,
        nodes: nodes.map((node) => `${node.html}: ${node.failureSummary}`),
      })),
    rules,
  );
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(grave, [], name);
  const { headings, title, overflow } = await page.evaluate(() => ({
    headings: document.querySelectorAll('h1').length,
    title: document.title,
    overflow: document.documentElement.scrollWidth - innerWidth,
  }));
  assert.equal(headings, 1, `${name}: main headings`);
  assert.match(title, /\S.* · Research$/, name);
  assert.ok(overflow <= 0, `${name} is ${overflow} pixels wider than the window`);
  const overlaps = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.drop > *, .head > *, .imports .what > *')].map(
      (element) => ({
        parent: element.parentElement,
        box: element.getBoundingClientRect(),
        text: element.textContent.trim(),
      }),
    );
    const over = (a, b) =>
      a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    return boxes.flatMap((one, i) =>
      boxes
        .slice(i + 1)
        .filter((other) => other.parent === one.parent && over(one.box, other.box))
        .map((other) => [one.text, other.text]),
    );
  });
  assert.deepEqual(overlaps, [], `${name}: parts overlap`);
  return violations.map(({ id }) => id);
}

const click = (name, options) => (page) =>
  page
    .getByRole('button', { name, ...options })
    .first()
    .click();
const shown = (locate) => (page) => locate(page).first().waitFor();

// asked returns the address to which an app sends the browser.
async function asked() {
  const redirect = 'https://claude.ai/api/mcp/auth_callback';
  return begin(await register('Claude', redirect), redirect).address.slice(base.length);
}

// Each view is [name, address, how to wait for it, what to do then].
const doors = [
  ['door', '/', shown((page) => page.getByRole('button', { name: 'Create an account' }))],
  [
    'door-up',
    '/',
    shown((page) => page.getByRole('button', { name: 'Create an account' })),
    click('Create an account'),
  ],
  [
    'door-wrong',
    '/',
    shown((page) => page.getByLabel('E-mail')),
    async (page) => {
      await page.getByLabel('E-mail').fill(lena.email);
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
    },
  ],
];
const inScene = [
  ['home', '/', shown((page) => heading(page, 'Projects'))],
  ['hypotheses', scene, shown((page) => page.locator('.balance'))],
  [
    'segments',
    `${scene}?by=persona`,
    shown((page) => page.locator('.segments td a')),
    (page) => page.locator('.segments').scrollIntoViewIfNeeded(),
  ],
  ['hypothesis', scene, shown((page) => page.locator('.balance')), click('Edit: Chasing')],
  [
    'verdict',
    scene,
    shown((page) => page.locator('.balance')),
    (page) => page.getByLabel('Verdict').first().selectOption('validated'),
  ],
  ['project', scene, shown((page) => page.locator('.balance')), click('Edit project')],
  [
    'evidence',
    `${scene}/evidence`,
    shown((page) => page.getByRole('article')),
    (page) => page.keyboard.press('j'),
  ],
  ['review', `${scene}/review`, shown((page) => page.locator('.turn-row mark'))],
  [
    'evidence-rejected',
    `${scene}/evidence?review=all`,
    shown((page) => page.getByRole('article')),
    click('Why'),
  ],
  [
    'evidence-keys',
    `${scene}/evidence`,
    shown((page) => page.getByRole('article')),
    (page) => page.keyboard.press('?'),
  ],
  [
    'evidence-edit',
    `${scene}/evidence`,
    shown((page) => page.getByRole('article')),
    click('Edit', { exact: true }),
  ],
  ['evidence-add', `${scene}/evidence`, shown((page) => page.getByRole('article')), click('Add by hand')],
  [
    'export',
    `${scene}/evidence`,
    shown((page) => page.getByRole('article')),
    async (page) => {
      await click('Export')(page);
      await page.getByRole('dialog').waitFor();
    },
  ],
  ['findings', `${scene}/findings`, shown((page) => page.locator('.findings figure'))],
  ['report', `${scene}/report`, shown((page) => page.locator('.overview'))],
  [
    'report-edit',
    `${scene}/report`,
    shown((page) => page.locator('.overview')),
    click('Edit', { exact: true }),
  ],
  [
    'findings-share',
    `${scene}/findings`,
    shown((page) => page.locator('.findings figure')),
    async (page) => {
      await click('Share')(page);
      await page.getByText('No links yet.').waitFor();
    },
  ],
  ['interviews', `${scene}/interviews`, shown((page) => page.locator('.imports .meta span:nth-child(3)'))],
  [
    'interview-menu',
    `${scene}/interviews`,
    shown((page) => page.locator('.imports .meta span:nth-child(3)')),
    click(/^Actions for/),
  ],
  [
    'interview-delete',
    `${scene}/interviews`,
    shown((page) => page.locator('.imports .meta span:nth-child(3)')),
    async (page) => {
      await click(/^Actions for/)(page);
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText(/quotes with/).waitFor();
    },
  ],
  [
    'interview-scratch',
    `${scene}/interviews`,
    shown((page) => page.locator('.imports .meta span:nth-child(3)')),
    async (page) => {
      await page.getByRole('button', { name: /^Actions for.*Priya/ }).click();
      await page.getByRole('menuitem', { name: 'Analyse from scratch' }).click();
      await page.getByRole('group', { name: 'Find evidence for and against' }).waitFor();
    },
  ],
  [
    'interview-speakers',
    `${scene}/interviews`,
    shown((page) => page.locator('.imports .meta span:nth-child(3)')),
    async (page) => {
      await click(/^Actions for/)(page);
      await page.getByRole('menuitem', { name: 'Speakers' }).click();
      await page.getByRole('group', { name: 'Lena Fischer' }).waitFor();
    },
  ],
  [
    'transcript',
    `${scene}/evidence`,
    shown((page) => page.getByRole('article')),
    async (page) => {
      await page
        .getByRole('article')
        .filter({ hasText: 'eleven missing' })
        .getByRole('link', { name: 'Open the transcript at this quote' })
        .click();
      await page.locator('mark.selected').first().waitFor();
    },
  ],
  [
    'search',
    `${scene}/interviews`,
    shown((page) => page.locator('.imports li')),
    async (page) => {
      await page.getByRole('button', { name: 'Search', exact: true }).first().click();
      await page.getByLabel('Search transcripts, quotes, hypotheses and interviews').fill('receipts');
      await page.locator('section [data-hit] mark').first().waitFor();
    },
  ],
  [
    'popover',
    `${scene}/interviews`,
    shown((page) => page.locator('.imports li')),
    async (page) => {
      await page.getByRole('link', { name: 'Maya, head of finance' }).first().click();
      await page
        .getByRole('button', { name: /^Quote this turn/ })
        .first()
        .focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Add as evidence' }).waitFor();
    },
  ],
  ['questions', `${scene}/questions`, shown((page) => page.locator('.questions li'))],
  ['question', `${scene}/questions`, shown((page) => page.locator('.questions li')), click('New question')],
  ['guide', `${scene}/guide`, shown((page) => page.locator('.to-ask li').nth(5))],
  ['personas', `${scene}/personas`, shown((page) => page.locator('.cards li'))],
  [
    'persona',
    `${scene}/personas`,
    shown((page) => page.locator('.cards li')),
    click('Edit: Head of finance'),
  ],
  ['workspace', '/workspaces/ledgerly', shown((page) => page.locator('.members li'))],
  ['invite', '/workspaces/ledgerly', shown((page) => page.locator('.members li')), click('Invite')],
  [
    'audit',
    '/workspaces/ledgerly',
    shown((page) => page.locator('.members li')),
    async (page) => {
      await page.getByText('Audit log').click();
      await page.locator('.audit li').first().waitFor();
    },
  ],
  [
    'account-delete',
    '/settings',
    shown((page) => page.getByRole('button', { name: 'Save name' })),
    async (page) => {
      await page.getByRole('button', { name: 'Delete account…' }).click();
      await page.getByText('becomes its owner').waitFor();
    },
  ],
  ['settings', '/settings', shown((page) => page.getByRole('button', { name: 'Save name' }))],
  [
    'settings-assistants',
    '/settings',
    shown((page) => page.getByRole('region', { name: 'Personal access tokens' })),
    (page) => page.getByRole('region', { name: 'Connect an assistant' }).scrollIntoViewIfNeeded(),
  ],
  [
    'token',
    '/settings',
    shown((page) => page.getByRole('button', { name: 'New token' })),
    async (page) => {
      await click('New token')(page);
      await page.getByRole('dialog').waitFor();
    },
  ],
  ['consent', asked, shown((page) => heading(page, 'Give this app access?'))],
  ['consent-lost', '/oauth/consent', shown((page) => heading(page, 'This request cannot be answered'))],
  [
    'nothing',
    '/projects/00000000-0000-4000-8000-00000000dead',
    shown((page) => heading(page, /There is no such/)),
  ],
];

// doubtful is a reading with a question of each kind.
const doubtful = () => ({
  needsLook: true,
  labels: [
    label('Telephone', 'Telephone: 555 0134', { doubt: 0.8 }),
    label('Omar W', 'Omar W - we wait', { kind: 'nobody', doubt: 0.4 }),
    label('Omar', 'Omar: In week 1 we wait.', { count: 9 }),
    label('Dana', 'Dana: In week 2 we wait.', { count: 9 }),
  ],
  unlabelled: {
    count: 4,
    in: 'Omar',
    speaker: 'Omar',
    suggest: 'Dana',
    doubt: 0.5,
    first: { before: 'Omar: We wait.', line: 'Why do you wait?', after: 'Omar: Nobody knows.' },
  },
  doubts: [
    {
      ordinal: 3,
      speaker: 'Omar',
      other: 'Dana',
      startMs: 64_000,
      text: 'Why do you wait?',
      confidence: 0.6,
    },
  ],
  edges: { head: ['Telephone: 555 0134', 'Dana: In week 0 we wait.'], tail: ['Omar: In week 9 we wait.'] },
});

// unfinished returns a project with interviews that are not analysed, failed or running. end cancels the
// running one, which keeps the only call of the worker from the other tests.
async function unfinished() {
  const one = await person('Unfinished');
  const project = await one.project(
    'The card statement is pasted every morning.',
    'Nobody spoke of this one.',
  );
  await one.upload(project, 'A first interview.txt', spoken(400));
  await one.parse(
    project,
    await one.upload(
      project,
      'An interview without a key.txt',
      spoken(100, 'The key must be refused: the key must be refused.'),
    ),
    ['failed'],
  );
  const running = await one.upload(
    project,
    'A very long interview with a very long name that nobody gave with narrow windows in mind.txt',
    spoken(200, 'Please never answer this.'),
  );
  await one.parse(project, running, ['parsing']);
  const read = await one.upload(project, 'Not searched yet.txt', spoken(300));
  return {
    one,
    end: () => one.call('POST', `/api/import/${running}/cancel`),
    views: [
      ['interviews-unfinished', `${project.path}/interviews`, shown((page) => page.getByRole('progressbar'))],
      [
        'choose',
        `${project.path}/interviews`,
        shown((page) => page.getByRole('button', { name: 'Find evidence' })),
        click('Find evidence'),
      ],
      [
        'import',
        `${project.path}/interviews`,
        shown((page) => page.getByRole('button', { name: 'choose files' })),
        async (page) => {
          const names = ['Priya Nair.txt', 'Tom Brandt.txt', 'An empty one.txt'];
          await drop(page, [
            ...names.map((name, i) => [name, i < 2 ? spoken(300, name) : '']),
            [
              'Clocks.txt',
              '[10:02] Dana: How?\n[10:20] Sam: On paper.\n[10:41] Dana: Why?\n[11:15] Sam: No time.\n',
            ],
            ['Not searched yet, again.txt', spoken(300)],
          ]);
          await page.getByRole('button', { name: 'Import 3 interviews' }).waitFor();
          await page.getByRole('radio', { name: 'Replace' }).check();
          await page.getByRole('button', { name: 'Details of Clocks.txt' }).click();
        },
      ],
      [
        'speaks',
        `${project.path}/interviews`,
        shown((page) => page.getByRole('button', { name: 'choose files' })),
        async (page) => {
          await scripted(page, doubtful);
          await drop(page, [['Who speaks.txt', spoken(200, 'Who speaks')]]);
          await page.getByText('Where the interview begins and ends').click();
          await page.getByRole('radio', { name: 'The same person as…' }).first().check();
        },
      ],
      ['interview-running', `/imports/${running}`, shown((page) => page.locator('.utterance'))],
      [
        'interview-not-searched',
        `/imports/${read}`,
        shown((page) => page.locator('.utterance')),
        async (page) => {
          await page.evaluate(() =>
            document.getSelection().selectAllChildren(document.querySelector('.utterance .text')),
          );
          await page.locator('.popover').waitFor();
        },
      ],
      [
        'evidence-none',
        `${project.path}/evidence`,
        shown((page) => page.getByRole('heading', { name: 'No evidence yet' })),
      ],
    ],
  };
}

async function empty() {
  const one = await person('Empty');
  const project = await one.project();
  const [bare] = await one.call('POST', '/rest/v1/workspaces', { name: 'Nothing in it' });
  return {
    one,
    views: [
      ...['', '/evidence', '/interviews', '/questions', '/personas'].map((path) => [
        `empty${path.replace('/', '-')}`,
        project.path + path,
        shown((page) => page.locator('.empty')),
      ]),
      ['empty-home', '/', shown((page) => page.getByText('No projects yet.'))],
      ['empty-workspace', `/workspaces/${bare.slug}`, shown((page) => page.getByText('No projects yet.'))],
    ],
  };
}

const colours = ['color-contrast', 'link-in-text-block'];
const windows = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 844 } };

// look examines a view in both window sizes and both colour schemes, which differ in colours only.
async function look(page, name) {
  const minor = [];
  for (const [size, window] of Object.entries(windows)) {
    await page.setViewportSize(window);
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      await quiet(page);
      minor.push(...(await examine(page, `${name}, ${size}, ${scheme}`, scheme === 'dark' ? colours : null)));
      await picture(page, `${name}-${size}-${scheme}`);
    }
  }
  return minor;
}

test('no view has a serious accessibility issue or horizontal overflow', async (t) => {
  const [half, bare, newcomer] = [await unfinished(), await empty(), await person('Newcomer')];
  let looked = 0;
  const minor = new Set();
  for (const [whose, who, views, end] of [
    ['a project with unfinished interviews', half.one, half.views, half.end],
    ['signing in', null, doors],
    ['the scene', lena, inScene],
    ['an empty project', bare.one, bare.views],
    [
      'the first steps',
      newcomer,
      [['newcomer', '/', shown((page) => page.getByRole('heading', { name: /Welcome/ }))]],
    ],
  ]) {
    await t.test(whose, async (st) => {
      const page = await visit(st);
      if (who) await enter(page, who);
      for (const [name, path, ready, act] of views) {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize(windows.wide);
        await page.goto(base + (typeof path === 'string' ? path : await path()));
        await ready(page);
        if (act) await act(page);
        for (const issue of await look(page, name)) minor.add(issue);
        looked++;
      }
    });
    await end?.();
  }
  await t.test('the menu of narrow windows', async (st) => {
    const page = await visit(st, windows.narrow);
    await enter(page, lena);
    await page.getByRole('button', { name: 'Menu' }).click();
    const settings = page.getByRole('link', { name: 'Settings' });
    await settings.waitFor();
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const issue of await examine(page, `menu, ${scheme}`)) minor.add(issue);
      await picture(page, `menu-narrow-${scheme}`);
    }
    await page.keyboard.press('Escape');
    await settings.waitFor({ state: 'hidden' });
  });
  figure(
    t,
    `axe: ${looked} views and dialogs, wide and narrow, light and dark: no serious or critical issue; ` +
      `lesser ones: ${[...minor].join(', ') || 'none'}`,
  );
});
