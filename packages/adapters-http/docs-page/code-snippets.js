// A plugin of Swagger UI: the request as code, with the body as it is typed. The token is never part of it.
(() => {
  const languages = {
    curl: (url, body) => `curl -i ${shellString(url)} \\
  -H "Authorization: Bearer $API_TOKEN" \\
  -H 'Content-Type: application/json' \\
  --data-raw ${shellString(body)}`,

    JavaScript: (url, body) => `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.API_TOKEN}\`,
    'Content-Type': 'application/json',
  },
  ${javaScriptBody(body)},
});
console.log(response.status, await response.text());`,

    Python: (url, body) => `import json, os, urllib.error, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    headers={
        "Authorization": f"Bearer {os.environ['API_TOKEN']}",
        "Content-Type": "application/json",
    },
    data=${pythonBody(body)}.encode(),
)
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    response = error
print(response.status, response.read().decode())`,
  };

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
      // Relative, as the server of the description is.
      const url = new URL(path.slice(1), window.location.href).href;
      const code = languages[language](url, oas3Selectors.requestBodyValue(path, method) ?? '');
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
