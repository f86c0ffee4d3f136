import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const script = readFileSync(new URL('../../docs-page/code-snippets.js', import.meta.url), 'utf8');

type Plugin = (system: object) => { components: { CodeSnippets: (props: object) => readonly unknown[] } };

/** The code of a request, as the plugin gives it to the page. */
function snippet(language: string, path: string, method: string, body?: string): string {
  const window: { location: object; docsPlugins?: readonly Plugin[] } = {
    location: { href: 'https://plants.example/garden/docs' },
  };
  runInNewContext(script, { window, URL });
  const React = {
    createElement: (_type: unknown, _props: unknown, ...children: unknown[]) => children,
    useState: () => [language],
  };
  const [plugin] = window.docsPlugins ?? [];
  const component = plugin?.({ React, getComponent: () => undefined }).components.CodeSnippets;
  return String(component?.({ path, method, oas3Selectors: { requestBodyValue: () => body } }).at(-1));
}

test.each(['curl', 'JavaScript', 'Python'])(
  'in %s, a request has its own method, and a body if it has one',
  (language) => {
    const found = snippet(language, '/seeds/{sku}', 'get');
    expect(found).toContain('https://plants.example/garden/seeds/{sku}');
    expect(found).not.toMatch(/Content-Type|POST|data|body:/);
    const replaced = snippet(language, '/seeds/{sku}', 'put', '{"grams":2}');
    expect(replaced).toMatch(/PUT/);
    expect(replaced).toMatch(/grams/);
    expect(snippet(language, '/plants', 'post', '{"id":7}')).toMatch(/Content-Type[\s\S]*7/);
  },
);
