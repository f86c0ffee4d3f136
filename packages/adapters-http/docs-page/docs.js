// Sets up Swagger UI; swagger-ui-bundle.js and the plugins have been run.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** Names for those who hear the page or speak to it (WCAG 2.2, 2.5.3 and 4.1.2). */
const accessibleNames = ({ React: { createElement } }) => ({
  wrapComponents: {
    TextArea: (TextArea) => (props) => createElement(TextArea, { ...props, 'aria-label': 'Request body' }),
    ExamplesSelect: (ExamplesSelect) => (props) =>
      createElement('label', null, createElement(ExamplesSelect, { ...props, showLabels: true })),
    // What a button shows is its name; Swagger UI gives some another one.
    Button: (Button) => (props) => createElement(Button, { ...props, 'aria-label': undefined }),
  },
});

window.SwaggerUIBundle({
  url: new URL('openapi.json', window.location.href).href,
  dom_id: '#docs',
  plugins: [accessibleNames, ...window.docsPlugins],
  docExpansion: 'full',
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  // The default shows numbers too faintly.
  syntaxHighlight: { theme: 'tomorrow-night' },
});
