import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { files, read, root, run } from '../repository.ts';

const documents = files('**/*.md');

test('every link to a file, a heading or an image of the repository works', () => {
  expect(documents.length).toBeGreaterThan(20);
  expect(documents.flatMap((path) => brokenLinks(root, path).map((target) => `${path}: ${target}`))).toEqual([]);
});

test('every file and every clause that a document names exists, except new ones', () => {
  const current = documents.filter((path) => !/^docs\/adr\/|CHANGELOG|^bench\/results\/|^\.changeset\//.test(path));
  const named = (pattern: RegExp) =>
    current.flatMap((path) => [...read(path).matchAll(pattern)].map(([, name = '']) => ({ path, name })));
  expect([named(FILE).length > 25, named(CLAUSE).length > 10]).toEqual([true, true]);
  const paths = files('**').map((path) => `/${path}`);
  expect(named(FILE).filter(({ name }) => !paths.some((path) => path.endsWith(`/${name}`)))).toEqual([]);
  const clauses = files('contracts/*/src/**/*.ts').map(read).join();
  expect(named(CLAUSE).filter(({ name }) => !clauses.includes(`id: '${name}'`))).toEqual([]);
});

/** As code: a path with a folder, or the name of a test. */
const FILE = /`((?:[\w@.-]+\/)+[\w@.-]+\.(?:ts|js|mjs|json|ya?ml|md)|[\w-]+\.(?:test|fault)\.ts)`(?! \(new\))/g;
const CLAUSE = /\b((?:HC|MG|PE|PR|TV)-\d+)\b/g;

test('every script that a document runs exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const commands = documents.flatMap((path) =>
    [...read(path).matchAll(/npx -y pnpm@12 ([a-z][\w:-]*)/g)].map(([, script = '']) => ({ path, script })),
  );
  expect(commands.length).toBeGreaterThan(20);
  // These are commands of pnpm, or programs.
  const others = ['install', 'rebuild', 'vitest'];
  expect(commands.filter(({ script }) => !(script in scripts) && !others.includes(script))).toEqual([]);
});

test('docs/operations.md names every setting', () => {
  const settings =
    run(root, process.execPath, '--conditions=development', 'apps/api/src/main.ts', 'help', 'environment').match(
      /^ {2}[A-Z][A-Z\d_]+$/gm,
    ) ?? [];
  expect(settings.length).toBeGreaterThan(20);
  const document = read('docs/operations.md');
  expect(settings.filter((name) => !document.includes(`\`${name.trim()}\``))).toEqual([]);
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

test('the clauses of the ports have their sentences there, and no other does', () => {
  const ids = (pattern: string, start: string) =>
    [
      ...files(pattern)
        .map(read)
        .join('')
        .matchAll(new RegExp(`^ +${start}((?:PE|PR|TV)-\\d+)`, 'gm')),
    ].map(([, id]) => id);
  const sentences = ids('packages/domain/src/*.ts', '\\* - \\*\\*');
  expect(sentences.toSorted()).toEqual(ids('contracts/*/src/**/*.ts', "id: '").toSorted());
});

/** The broken links of a document to files, headings and images. Links to other hosts are not checked. */
function brokenLinks(root: string, document: string): readonly string[] {
  const prose = withoutCode(readFileSync(join(root, document), 'utf8')).replace(/`[^`\n]*`/g, 'code');
  const targets = [...prose.matchAll(/\]\(<?([^\s)>]+)|^\[[^\]]+\]: (\S+)/gm)].map(([, a, b]) =>
    decodeURI(a ?? b ?? ''),
  );
  return targets.filter((target) => {
    const [file = '', heading] = target.split('#');
    const path = file === '' ? join(root, document) : join(root, file.startsWith('/') ? '.' : dirname(document), file);
    if (/^[a-z][a-z+.-]*:/i.test(target)) return false;
    return !existsSync(path) || (heading !== undefined && path.endsWith('.md') && !headingsOf(path).includes(heading));
  });
}

/** GitHub's anchors of the headings in a file, in which no two headings are the same. */
function headingsOf(path: string): readonly string[] {
  return [...withoutCode(readFileSync(path, 'utf8')).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^ *(```+|~~~+)[\s\S]*?^ *\1$/gm, '');
}
