// Shows the reference at /docs, and the guide of the address elsewhere. The viewer has its own dark theme, as
// a class of the root element.
const dark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setTheme);
setTheme();

/** @type {NodeListOf<HTMLAnchorElement>} */
const navigation = document.querySelectorAll('nav a');
for (const link of navigation)
  if (link.pathname === location.pathname) link.setAttribute('aria-current', 'page');

const viewer = globalThis.SwaggerUIBundle;
const shared = {
  domNode: document.getElementById('reference'),
  presets: [viewer.presets.apis],
  validatorUrl: null, // nothing is sent to other servers
};

function showReference() {
  const ui = viewer({
    ...shared,
    url: '/api/openapi.json',
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    docExpansion: 'list',
    layout: 'BaseLayout',
    onComplete: async () => {
      // The publishable key is public. The access token is the reader's own.
      const { anonKey } = await (await fetch('/config.json')).json();
      ui.preauthorizeApiKey('apiKey', anonKey);
    },
  });
}

// showGuide shows Markdown by the part of the viewer that shows descriptions.
async function showGuide() {
  const response = await fetch(location.pathname, { headers: { Accept: 'text/markdown' } });
  const source = response.ok
    ? await response.text()
    : 'This guide cannot be shown at the moment. Try again later.';
  const guide = (/** @type {ViewerSystem} */ { React, getComponent }) => {
    const Guide = () => {
      const article = React.useRef(null);
      React.useEffect(() => finishGuide(article.current), []);
      return React.createElement(
        'article',
        { ref: article },
        React.createElement(getComponent('Markdown'), { source }),
      );
    };
    return { components: { Guide } };
  };
  viewer({ ...shared, spec: {}, plugins: [guide], layout: 'Guide' });
}

// finishGuide names the headings, so that links lead to them, and removes links to what is not served.
function finishGuide(/** @type {HTMLElement | null} */ article) {
  if (!article) return;
  for (const heading of article.querySelectorAll('h1, h2, h3, h4')) {
    const words = heading.textContent.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
    heading.id = words.replaceAll(' ', '-');
  }
  const served = new Set([...navigation].map((link) => link.pathname));
  for (const link of article.querySelectorAll('a')) {
    const isOurs = link.origin === location.origin;
    if (isOurs && !served.has(link.pathname) && !link.pathname.startsWith('/docs/quickstart/'))
      link.replaceWith(...link.childNodes);
    else if (isOurs) link.removeAttribute('target');
  }
  document.title = `${article.querySelector('h1')?.textContent} · Workspace Research Service`;
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

if (location.pathname === '/docs') showReference();
else void showGuide();
