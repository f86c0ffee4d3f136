import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { brokenLinks } from './broken-links.ts';
import { documents, files, read, root } from './repository.ts';
import { tables } from './tables.ts';
import { marked, withTables } from './with-tables.ts';

const texts = documents().map((path) => [path, read(path)] as const);

test('every generated table says what the code says; else: npx -y pnpm@12 docs:update', async () => {
  for (const [path, text] of texts) expect(text, path).toBe(await withTables(text));
  const found = texts.flatMap(([, text]) => [...text.matchAll(marked)].map(([, name]) => name));
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(tables).toSorted());
});

test('a table is made anew between its markers, and nothing else is touched', async () => {
  const document = 'a\n<!-- generated: errors -->\nold\n<!-- /generated -->\nb\n';
  const table = await tables['errors']?.();
  expect(await withTables(document)).toBe(document.replace('old', String(table)));
  await expect(withTables(document.replace('errors', 'none'))).rejects.toThrow('there is no table "none"');
});

test('no command has a password among its arguments, which the package manager repeats', () => {
  const shown = /(pnpm|npx)\b.* \S+:\/\/[^\s/]*:[^\s/]+@/;
  expect('npx -y pnpm@12 plant-store export --url postgres://user:password@host/plants').toMatch(shown);
  expect(texts.filter(([, text]) => shown.test(text)).map(([path]) => path)).toEqual([]);
});

test('every link to a file, a heading or an image of the repository leads there', () => {
  expect(texts.length).toBeGreaterThan(20);
  expect(brokenLinks(root, documents())).toEqual([]);
});

test.each([
  ['SECURITY.md', 50],
  ['docs/reliability.md', 15],
])('every file of tests and every clause that %s names is there', (document, more) => {
  const named = [...read(document).matchAll(/`([^`]+\.(?:test|fault)\.ts|\.ci\/[^`]+)`|\b((?:HC|PE|PR|TV)-\d+)\b/g)];
  expect(named.length).toBeGreaterThan(more);
  const paths = files('*.ts', '.ci/*').map((path) => `/${path}`);
  const sources = files('contracts/*/src/*.ts').map(read).join();
  const missing = named.filter(([, path, clause]) =>
    path ? !paths.some((each) => each.endsWith(`/${path}`)) : !sources.includes(`id: '${clause}'`),
  );
  expect(missing.map(([name]) => name)).toEqual([]);
});

test('every row of the track record names a test or a clause, or says that there is none, in at most 300 words', () => {
  const [, record = ''] = read('docs/reliability.md').split('## Track record\n');
  const [section = ''] = record.split('\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.slice(1).filter((row) => !/\.(test|fault)\.ts`|\b(HC|PE|PR|TV)-\d|\| no test;/.test(row))).toEqual([]);
  expect(section.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThanOrEqual(300);
});

test.each([
  ['a file', '[x](not-there.md)'],
  ['a heading of its own', '[x](#not-there)'],
  ['a heading of another document', '[x](other.md#not-there)'],
  ['a heading as GitHub does not name it', '[x](other.md#its_heading)'],
  ['an image', '![x](not-there.svg)'],
  ['a link in a table', '| a |\n|---|\n| [x](not-there.md) |'],
  ['a link from the root', '[x](/not-there.md)'],
  ['a definition', '[x]\n\n[x]: not-there.md'],
])('%s that is not there is noticed', (_, text) => {
  expect(brokenLinks(scratch(text), ['document.md'])).toEqual([expect.stringMatching(/^document\.md links to /)]);
});

test('a good link is none of them, and neither is code or a link to another host', () => {
  const good = '[a](#title-a) [b](other.md#its-heading-1) [c](.) [d](https://not-there.invalid/) [e](/other.md)';
  expect(brokenLinks(scratch(`${good} \`[x](x.md)\`\n\n\`\`\`md\n[x](x.md)\n\`\`\`\n`), ['document.md'])).toEqual([]);
});

function scratch(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-links-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'document.md'), `# Title: \`a\`\n\n${text}\n`);
  writeFileSync(join(directory, 'other.md'), '# Other\n\n## Its heading\n\n## Its heading\n');
  return directory;
}
