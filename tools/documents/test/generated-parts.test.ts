import { expect, test } from 'vitest';
import { type Part, parts, withPart } from '../src/parts.ts';
import { files, read } from '../src/root.ts';

test.each(parts)('$name in $file is what the code says; else: npx -y pnpm@12 docs:update', async (part) => {
  const document = read(part.file);
  expect(document).toBe(await withPart(document, part));
});

test('every part that a document calls generated is made by somebody', () => {
  const marked = files('*.md').flatMap((file) =>
    [...read(file).matchAll(/^<!-- generated: (.+) -->$/gm)].map(([, name]) => `${file}: ${name}`),
  );
  expect(marked.toSorted()).toEqual(parts.map(({ file, name }) => `${file}: ${name}`).toSorted());
});

const part: Part = { file: 'a.md', name: 'x', content: () => 'new' };

test('a part is made anew between its markers, and nothing else is touched', async () => {
  const document =
    'a\n<!-- generated: x -->\nold\n<!-- /generated -->\nb\n<!-- generated: y -->\n<!-- /generated -->\n';
  expect(await withPart(document, part)).toBe(document.replace('old', 'new'));
});

test.each([
  '',
  '<!-- generated: x -->\n',
  '<!-- /generated -->\n<!-- generated: x -->\n',
  '<!-- generated: x -->\n<!-- /generated -->\n'.repeat(2),
])('without its markers, or with too many, a part is refused: %j', async (document) => {
  await expect(withPart(document, part)).rejects.toThrow('a.md: expected <!-- generated: x --> once');
});
