// A plugin of Swagger UI: the field for the access token, in the operation itself. Swagger UI's own is behind a button.
(() => {
  const scheme = 'bearerAuth';
  // Other services may have the same origin.
  const key = `access token for ${window.location.pathname}`;

  /** The token that is kept for this tab; undefined where the browser keeps nothing. */
  const storage = {
    available: attempt(() => window.sessionStorage.length >= 0) ?? false,
    read: () => attempt(() => window.sessionStorage.getItem(key)) ?? '',
    write: (token) => attempt(() => window.sessionStorage.setItem(key, token)),
    clear: () => attempt(() => window.sessionStorage.removeItem(key)),
  };

  /** Browsers can be set to keep nothing: then every access throws. */
  function attempt(access) {
    try {
      return access();
    } catch {
      return undefined;
    }
  }

  window.docsPlugins = (window.docsPlugins ?? []).concat(
    ({ React: { createElement, useEffect, useState }, getComponent }) => {
      function TokenField({ authActions, authSelectors, specSelectors }) {
        // Collapsing the operation takes the field away: what was entered is then in the page's memory.
        const [token, setToken] = useState(() => authSelectors.authorized().getIn([scheme, 'value']) ?? storage.read());
        const [kept, setKept] = useState(() => storage.read() !== '');
        const schema = specSelectors.securityDefinitions()?.get(scheme);
        useEffect(() => {
          if (token !== '') authActions.authorize({ [scheme]: { name: scheme, schema, value: token } });
          else if (authSelectors.authorized().size > 0) authActions.logout([scheme]);
          if (kept && token !== '') storage.write(token);
          else storage.clear();
        }, [token, kept]);

        const Markdown = getComponent('Markdown', true);
        return createElement(
          'div',
          { className: 'access-token' },
          createElement('label', { htmlFor: 'access-token' }, 'Access token'),
          createElement('input', {
            id: 'access-token',
            type: 'password',
            // Hidden while it is typed, and kept out of what the browser remembers of forms.
            autoComplete: 'off',
            spellCheck: false,
            'aria-describedby': 'access-token-source',
            value: token,
            // What is pasted may be the whole header.
            onChange: ({ target }) => setToken(target.value.trim().replace(/^(Authorization:\s*)?Bearer\s+/i, '')),
          }),
          storage.available &&
            createElement(
              'label',
              { className: 'access-token-kept' },
              createElement('input', { type: 'checkbox', checked: kept, onChange: () => setKept(!kept) }),
              ' Keep it for this tab',
            ),
          createElement(
            'div',
            { id: 'access-token-source' },
            createElement(Markdown, { source: schema?.get('description') }),
          ),
        );
      }

      const nothing = () => () => null;
      return {
        components: { TokenField },
        wrapComponents: {
          parameters: (Parameters) => (props) => [
            createElement(getComponent('TokenField', true), { key: 'token' }),
            createElement(Parameters, { key: 'parameters', ...props }),
          ],
          AuthorizeBtnContainer: nothing,
          authorizeOperationBtn: nothing,
        },
      };
    },
  );
})();
