// A plugin of Swagger UI: the request as code, with the body as it is typed. The token is never part of it.
(() => {
  // `body` is undefined for an operation without one.
  const languages = {
    curl: ({ url, method, body }) => `curl -i ${isUsual(method, body) ? '' : `-X ${method} `}${shellString(url)} \\
  -H "Authorization: Bearer $API_TOKEN"${lines(
    body,
    () => ` \\
  -H 'Content-Type: application/json' \\
  --data-raw ${shellString(body)}`,
  )}`,

    JavaScript: ({ url, method, body }) => `const response = await fetch(${JSON.stringify(url)}, {
  method: '${method}',
  headers: {
    Authorization: \`Bearer \${process.env.API_TOKEN}\`,${lines(
      body,
      () => `
    'Content-Type': 'application/json',`,
    )}
  },${lines(
    body,
    () => `
  ${javaScriptBody(body)},`,
  )}
});
console.log(response.status, await response.text());`,

    Python: ({ url, method, body }) => `import json, os, urllib.error, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},${isUsual(method, body) ? '' : `\n    method="${method}",`}
    headers={
        "Authorization": f"Bearer {os.environ['API_TOKEN']}",${lines(
          body,
          () => `
        "Content-Type": "application/json",`,
        )}
    },${lines(
      body,
      () => `
    data=${pythonBody(body)}.encode(),`,
    )}
)
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    response = error
print(response.status, response.read().decode())`,
  };

  function lines(body, write) {
    return body === undefined ? '' : write();
  }

  const bodiless = new Set(['delete', 'get', 'head']);

  /** Whether curl and urllib choose this method by themselves. */
  function isUsual(method, body) {
    return method === (body === undefined ? 'GET' : 'POST');
  }

  function shellString(text) {
    return `'${text.replaceAll("'", "'\\''")}'`;
  }

  function javaScriptBody(body) {
    const id = roundedId(body);
    if (id === undefined) return `body: JSON.stringify(${indented(body, 2)})`;
    const text = `body: \`${body.replaceAll(/[\\`]|\$\{/g, '\\$&')}\``;
    if (id === null) return text;
    return `// Text, because numbers are exact up to 2^53 only: ${id} would become ${JSON.stringify(Number(id))}.
  // JSON.rawJSON('${id}') is another way.
  ${text}`;
  }

  /**
   * The id of the body if JavaScript would change it, as it is written; undefined if not, and null if the body is not JSON. A
   * browser that does not tell how a number is written is told of all beyond 2^53.
   */
  function roundedId(body) {
    let id;
    try {
      JSON.parse(body, function read(name, value, context) {
        const source = context?.source;
        if (name === 'id' && Number.isInteger(value) && !Number.isSafeInteger(value) && source !== String(value)) {
          id = source ?? String(value);
        }
        return value;
      });
    } catch {
      return null;
    }
    return id;
  }

  /** As a dict if it can be read as one: without escapes, which differ, and without true, false, null, 7.0 and 7e0. */
  function pythonBody(body) {
    const outsideStrings = body.replaceAll(/"[^"]*"/g, '');
    if (roundedId(body) !== null && !body.includes('\\') && !/[a-z.]/i.test(outsideStrings))
      return `json.dumps(${indented(body, 4)})`;
    return JSON.stringify(body);
  }

  /** Lines after the first one, further to the right: no string of JSON has a line break. */
  function indented(body, by) {
    return body.trim().replaceAll('\n', `\n${' '.repeat(by)}`);
  }

  window.docsPlugins = (window.docsPlugins ?? []).concat(({ React: { createElement, useState }, getComponent }) => {
    function CodeSnippets({ path, method, oas3Selectors }) {
      const [language, setLanguage] = useState('curl');
      // Relative, as the server of the description is. Parameters stay in braces, for the reader to replace.
      const url = new URL(path.slice(1), window.location.href).href.replaceAll('%7B', '{').replaceAll('%7D', '}');
      const body = bodiless.has(method) ? undefined : (oas3Selectors.requestBodyValue(path, method) ?? '');
      const code = languages[language]({ url, method: method.toUpperCase(), body });
      const HighlightCode = getComponent('HighlightCode', true);
      return createElement(
        'section',
        { className: 'code-snippets', 'aria-label': 'The request as code' },
        createElement(
          'fieldset',
          null,
          createElement('legend', null, 'The request as code'),
          Object.keys(languages).map((name) =>
            createElement(
              'label',
              { key: name },
              createElement('input', {
                type: 'radio',
                name: 'language',
                checked: name === language,
                onChange: () => setLanguage(name),
              }),
              ` ${name}`,
            ),
          ),
        ),
        createElement(
          HighlightCode,
          { canCopy: true, language: language === 'JavaScript' ? 'javascript' : 'bash' },
          code,
        ),
      );
    }
    return { components: { CodeSnippets } };
  });
})();
