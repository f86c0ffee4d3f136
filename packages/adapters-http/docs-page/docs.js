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

window.SwaggerUIBundle({
  url: new URL('openapi.json', window.location.href).href,
  dom_id: '#docs',
  plugins: [secretToken],
  docExpansion: 'full',
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
});
