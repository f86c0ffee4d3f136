import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { files, read, root } from '../src/root.ts';
import { checkLinks } from './check-links.ts';

// What is made for another place has links that are good there.
const documents = files('*.md').filter((path) => !path.startsWith('turbo/generators/templates/'));

test('every link to a file, a heading or an image of the repository leads there', async () => {
  expect(documents.length).toBeGreaterThan(60);
  expect(await checkLinks(root, documents)).toEqual([]);
});

test('links to other hosts, which nobody follows here, lead to these alone', () => {
  const hosts = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\(https?:\/\/([^/)]+)/g)].map(([, host]) => host),
  );
  expect([...new Set(hosts)].toSorted()).toEqual(['api-extractor.com', 'openapi-ts.dev', 'opentelemetry.io']);
});

test('every document in docs is found from its index', () => {
  const links = read('docs/README.md').matchAll(/\]\(((?:recipes\/)?[\w-]+\.md)/g);
  const linked = [...links].map(([, name]) => `docs/${name}`);
  const others = files(':(glob)docs/*.md', ':(glob)docs/recipes/*.md').filter((path) => path !== 'docs/README.md');
  expect([...new Set(linked)].toSorted()).toEqual([...others].toSorted());
});

test.each([
  ['a file that is not there', '[x](not-there.md)', 'not-there.md'],
  ['a heading of its own', '[x](#not-there)', '#not-there'],
  ['a heading of another document', '[x](other.md#not-there)', 'not-there'],
  ['a heading as GitHub does not name it', '[x](other.md#its_heading)', 'its_heading'],
  ['an image', '![x](not-there.svg)', 'not-there.svg'],
  ['a link in a table', '| a |\n|---|\n| [x](not-there.md) |', 'not-there.md'],
  ['a definition', '[x]\n\n[x]: not-there.md', 'not-there.md'],
])('%s is noticed', async (_what, text, named) => {
  const faults = await checkLinks(scratch(`# Title\n\n${text}\n`), ['document.md', 'other.md']);
  expect(faults).toEqual([expect.stringMatching(`^document.md:\\d+ Cannot find .*${named}`)]);
});

test('a good link is none of them, and neither is one to another host, which is not followed', async () => {
  const text = '# Title\n\n[a](#title) [b](other.md#its-heading) [c](.) [d](https://not-there.invalid/)\n';
  expect(await checkLinks(scratch(text), ['document.md', 'other.md'])).toEqual([]);
});

function scratch(document: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-links-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'document.md'), document);
  writeFileSync(join(directory, 'other.md'), '# Other\n\n## Its heading\n');
  return directory;
}
