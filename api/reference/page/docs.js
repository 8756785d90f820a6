// Renders the document. The viewer has its own dark theme, as a class of the root element.
const dark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setTheme);
setTheme();

const ui = globalThis.SwaggerUIBundle({
  url: '/api/openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  layout: 'BaseLayout',
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  validatorUrl: null, // nothing is sent to other servers
  onComplete: async () => {
    // The publishable key is public. The access token is the reader's own.
    const { anonKey } = await (await fetch('/config.json')).json();
    ui.preauthorizeApiKey('apiKey', anonKey);
  },
});
