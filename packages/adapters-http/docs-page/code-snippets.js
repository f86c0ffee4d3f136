// A request as code. The token is never part of it. `body` is undefined for an operation without one.

/** @type {Record<string, (request: { url: string, method: string, body?: string }) => string>} */
export const languages = {
  curl: ({
    url,
    method,
    body,
  }) => `curl -i --max-time 10 ${isUsual(method, body) ? '' : `-X ${method} `}${shellString(url)} \\
  -H "Authorization: Bearer $API_TOKEN"${
    body === undefined
      ? ''
      : ` \\
  -H 'Content-Type: application/json' \\
  --data-raw ${shellString(body)}`
  }`,

  // Node runs it as it is.
  TypeScript: (request) => fetchCode(request, 'process.env.API_TOKEN'),

  // From a page of the same origin: the service allows no other (CORS).
  Browser: (request) => fetchCode(request, 'accessToken'),

  Python: ({ url, method, body }) => `import json, os, urllib.error, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},${isUsual(method, body) ? '' : `\n    method="${method}",`}
    headers={
        "Authorization": f"Bearer {os.environ['API_TOKEN']}",${body === undefined ? '' : `\n        "Content-Type": "application/json",`}
    },${body === undefined ? '' : `\n    data=${pythonBody(body)}.encode(),`}
)
try:
    response = urllib.request.urlopen(request, timeout=10)
except urllib.error.HTTPError as error:
    response = error
print(response.status, response.read().decode())`,
};

function fetchCode({ url, method, body }, token) {
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: '${method}',
  headers: {
    Authorization: \`Bearer \${${token}}\`,${body === undefined ? '' : `\n    'Content-Type': 'application/json',`}
  },${body === undefined ? '' : `\n  ${javaScriptBody(body)},`}
  signal: AbortSignal.timeout(10_000),
});
console.log(response.status, await response.text());`;
}

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
