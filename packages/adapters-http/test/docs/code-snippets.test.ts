import { expect, test } from 'vitest';

// Plain JavaScript, as the browser gets it.
const { languages } = (await import(new URL('../../docs-page/code-snippets.js', import.meta.url).href)) as {
  languages: Record<string, (request: { url: string; method: string; body?: string }) => string>;
};

const url = 'https://plants.example/garden/seeds/{sku}';

test.each(Object.entries(languages))('in %s, a request has its method, and a body if it has one', (_, codeOf) => {
  const found = codeOf({ url, method: 'GET' });
  expect(found).toContain(url);
  expect(found).not.toMatch(/Content-Type|POST|data|body:/);
  const replaced = codeOf({ url, method: 'PUT', body: '{"grams":2}' });
  expect(replaced).toMatch(/PUT/);
  expect(replaced).toMatch(/grams/);
  expect(codeOf({ url, method: 'POST', body: '{"id":7}' })).toMatch(/Content-Type[\s\S]*7/);
});
