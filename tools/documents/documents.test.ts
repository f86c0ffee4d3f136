import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { files, read, root } from '../repository.ts';
import { brokenLinks } from './links.ts';
import { tables, withTables } from './tables.ts';

const documents = files('*.md');

test('every generated table is up to date; otherwise run npx -y pnpm@12 docs:update', async () => {
  const found = documents.filter((path) => read(path).includes('<!-- generated: '));
  for (const path of found) await expect(await withTables(path)).toMatchFileSnapshot(join(root, path));
  const names = found.flatMap((path) =>
    [...read(path).matchAll(/^<!-- generated: (.+) -->$/gm)].map(([, name]) => name),
  );
  expect([...new Set(names)].toSorted()).toEqual(Object.keys(tables).toSorted());
});

test('every link to a file, a heading or an image of the repository works', () => {
  expect(documents.length).toBeGreaterThan(20);
  expect(documents.flatMap((path) => brokenLinks(root, path).map((target) => `${path}: ${target}`))).toEqual([]);
});

test('every file that a document names exists, except new ones', () => {
  const named = documents
    .filter((path) => !/^docs\/adr\/|CHANGELOG|^bench\/results\//.test(path))
    .flatMap((path) => [...read(path).matchAll(PATH)].map(([, file]) => ({ path, file })));
  expect(named.length).toBeGreaterThan(40);
  const all = files().map((path) => `/${path}`);
  expect(named.filter(({ file }) => !all.some((path) => path.endsWith(`/${file}`)))).toEqual([]);
});

/** A path with a folder, as code. */
const PATH = /`([\w@.-]+(?:\/[\w@.-]+)+\.(?:ts|js|mjs|json|ya?ml|md))`(?! \(new\))/g;

test('every script that a document runs exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const run = documents.flatMap((path) =>
    [...read(path).matchAll(/npx -y pnpm@12 ([a-z][\w:-]*)/g)].map(([, script = '']) => ({ path, script })),
  );
  expect(run.length).toBeGreaterThan(40);
  // These are commands of pnpm, or programs.
  const others = ['install', 'vitest'];
  expect(run.filter(({ script }) => !(script in scripts) && !others.includes(script))).toEqual([]);
});

test('a broken link is noticed, and no other', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-links-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const broken = ['no.md', '#no', 'b.md#no', 'b.md#its_heading', 'no.svg', '/no.md', 'no-definition.md'];
  const good = ['#title-a', 'b.md#its-heading', '.', 'https://not-there.invalid/', '/b.md'];
  const links = [...broken.slice(0, -1), ...good].map((target) => `![x](${target})`);
  const text = `# Title: \`a\`\n\n${links.join(' ')}\n\n\`[x](x.md)\`\n\n\`\`\`md\n[x](x.md)\n\`\`\`\n\n[y]: no-definition.md\n`;
  writeFileSync(join(directory, 'a.md'), text);
  writeFileSync(join(directory, 'b.md'), '# Other\n\n## Its heading\n');
  expect(brokenLinks(directory, 'a.md')).toEqual(broken);
});

test.each([
  ['SECURITY.md', 50],
  ['docs/reliability.md', 15],
])('every test file and every clause that %s names exists', (document, more) => {
  const named = [...read(document).matchAll(/`([^`]+\.(?:test|fault)\.ts|\.ci\/[^`]+)`|\b((?:HC|PE|PR|TV)-\d+)\b/g)];
  expect(named.length).toBeGreaterThan(more);
  const paths = files('*.ts', '.ci/*').map((path) => `/${path}`);
  const sources = files('contracts/*/src/*.ts').map(read).join();
  const missing = named.filter(([, path, clause]) =>
    path ? !paths.some((each) => each.endsWith(`/${path}`)) : !sources.includes(`id: '${clause}'`),
  );
  expect(missing.map(([name]) => name)).toEqual([]);
});

test('every row of the track record names a test or a clause, or says that there is none', () => {
  const [, record = ''] = read('docs/reliability.md').split('## Track record\n');
  const [section = ''] = record.split('\n## ');
  const [, ...rows] = section.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.length).toBeGreaterThan(9);
  expect(rows.filter((row) => !/\.(test|fault)\.ts`|\b(HC|PE|PR|TV)-\d|\| no test;/.test(row))).toEqual([]);
});
