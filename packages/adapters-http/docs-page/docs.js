// Sets up Swagger UI; swagger-ui-bundle.js has been run. The token is kept in the memory of the page, nowhere else.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** Hides the token while it is typed, and keeps it out of what the browser remembers of forms. */
const secretToken = ({ React }) => ({
  wrapComponents: {
    Input: (Input) => (props) => {
      const secret = { type: 'password', autoComplete: 'off', 'aria-label': 'Bearer token' };
      return React.createElement(Input, props.id === 'auth-bearer-value' ? { ...props, ...secret } : props);
    },
  },
});

/** Names for those who hear the page or speak to it (WCAG 2.2, 2.5.3 and 4.1.2). */
const accessibleNames = ({ React: { createElement } }) => ({
  wrapComponents: {
    TextArea: (TextArea) => (props) => createElement(TextArea, { ...props, 'aria-label': 'Request body' }),
    ExamplesSelect: (ExamplesSelect) => (props) =>
      createElement('label', null, createElement(ExamplesSelect, { ...props, showLabels: true })),
    authorizationPopup: (Popup) => (props) =>
      createElement('div', { role: 'dialog', 'aria-label': 'Available authorizations' }, createElement(Popup, props)),
    CloseIcon: (CloseIcon) => (props) =>
      createElement(CloseIcon, { ...props, role: 'img', 'aria-hidden': false, 'aria-label': 'Close' }),
    // What a button shows is its name; Swagger UI gives some another one.
    Button: (Button) => (props) => createElement(Button, { ...props, 'aria-label': undefined }),
  },
});

window.SwaggerUIBundle({
  url: new URL('openapi.json', window.location.href).href,
  dom_id: '#docs',
  plugins: [secretToken, accessibleNames],
  docExpansion: 'full',
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  // The default shows numbers too faintly.
  syntaxHighlight: { theme: 'tomorrow-night' },
});
