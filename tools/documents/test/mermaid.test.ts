// @vitest-environment happy-dom

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import { expect, test } from 'vitest';
import { files, read } from '../src/root.ts';

const { mermaid }: { mermaid: { parse(text: string): Promise<unknown> } } = loadMermaid();

const diagrams = files('*.md').flatMap((file) =>
  [...read(file).matchAll(/^```mermaid\n(.*?)^```$/gms)].map(([, text = '']) => ({ file, text })),
);

test('there are diagrams', () => {
  expect(diagrams.map(({ file }) => file)).toEqual(expect.arrayContaining(['README.md', 'docs/one-request.md']));
});

test.each(diagrams)('mermaid understands the diagram in $file', async ({ text }) => {
  await mermaid.parse(text);
});

test.each(['flowchart LR\n a[[ -> b', 'sequenceDiagram\n a ->>> b', 'flowchart LR\n a --> end'])(
  'mermaid does not understand %j',
  async (text) => {
    await expect(mermaid.parse(text)).rejects.toThrow();
  },
);

/** It is a script for a page, and makes itself a global. */
function loadMermaid() {
  runInThisContext(readFileSync(createRequire(import.meta.url).resolve('@mermaid-js/tiny'), 'utf8'));
  return globalThis as unknown as { mermaid: { parse(text: string): Promise<unknown> } };
}
