import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const withoutImports = (code: string) => code.replace(/^import .*\n/gm, '').trim();

test('the README shows the code of own-port.test.ts, all of it and in its order', () => {
  const shown = [...read('../README.md').matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => withoutImports(code));
  const [, code = ''] = read('own-port.test.ts').split(/^\/\/ The example .*\n/m);
  expect(shown.join('\n\n')).toBe(code.trim());
});
