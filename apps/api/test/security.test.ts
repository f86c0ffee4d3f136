import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpContract } from '@plant-store/contracts-http';
import { storeContracts } from '@plant-store/contracts-stores';
import { tokenVerifierContract } from '@plant-store/contracts-tokens';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const lines = readFileSync(join(root, 'SECURITY.md'), 'utf8').split('\n');

/** What the last cell of a table's row names, for the tables whose last column says what shows it. */
const shown = tablesWithColumn(/^(?:test|what covers it)/).flatMap(({ rows }) => rows.map((row) => row.at(-1) ?? ''));
const cells = shown.join('\n');

const files = globSync(
  ['packages/*/{src,test}/**/*.ts', 'apps/*/test/**/*.ts', '{deploy,tools}/**/*.test.ts', '.ci/*'],
  {
    cwd: root,
    exclude: ['**/node_modules'],
  },
);
const texts = new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

test('the tables are read', () => {
  expect(shown.length).toBeGreaterThan(30);
});

describe('every test that SECURITY.md names exists', () => {
  const clauses = [httpContract, ...storeContracts, tokenVerifierContract].flatMap((contract) =>
    contract.clauses.map(({ id }) => id),
  );
  const named = [...cells.matchAll(/\b(HC|PE|PR|TV)-(\d+)(?: to (?:HC|PE|PR|TV)-(\d+))?/g)].flatMap(
    ([, contract, from, to = from]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `${contract}-${Number(from) + at}`),
  );
  test.each([...new Set(named)])('clause %s', (id) => {
    expect(clauses).toContain(id);
  });

  /** Paths, whole ones or the end of one, of a file or a directory. */
  const paths = [...cells.matchAll(/`([^`]*\/[^`]*|[^`]*\.test\.ts)`/g)].map(([, path = '']) => path);
  test.each([...new Set(paths)])('file %s', (path) => {
    expect(pathsAt(path)).not.toEqual([]);
  });

  /** In the order of the cell: a path, then titles in «»; without a path, they may be in any file. */
  const titles = shown.flatMap((cell) => {
    let path: string | undefined;
    return [...cell.matchAll(/`([^`]+)`|«([^»]+)»/g)].flatMap(([, code, title]): [string, string | undefined][] => {
      if (code !== undefined) path = code;
      return title === undefined ? [] : [[title, path]];
    });
  });
  test.each(titles)('title %s in %s', (title, path) => {
    const candidates = path === undefined ? files : pathsAt(path);
    expect(candidates.some((file) => texts.get(file)?.includes(title))).toBe(true);
  });
});

test('every setting that SECURITY.md names exists', () => {
  const settings = tablesWithColumn(/^setting$/)
    .flatMap(({ rows }) => rows)
    .flatMap((row) => [...(row.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  expect(settings.length).toBeGreaterThan(5);
  const sources = globSync('{packages,apps}/*/src/**/*.ts', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const [options, variables] = [
    settings.filter((name) => /^[a-z]/.test(name)),
    settings.filter((name) => /^[A-Z]/.test(name)),
  ];
  for (const option of options)
    expect(
      sources.some((text) =>
        [`readonly ${option}?:`, `function ${option}(`, `  ${option}: { `].some((each) => text.includes(each)),
      ),
      option,
    ).toBe(true);
  const help = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  for (const variable of variables.filter((name) => !name.startsWith('NODE_OPTIONS')))
    expect(help, variable).toContain(`\`${variable}\``);
});

function pathsAt(path: string): string[] {
  return files.filter(
    (file) => file === path || file.endsWith(`/${path}`) || `/${file}`.includes(`/${path.replace(/\/?$/, '/')}`),
  );
}

interface Table {
  readonly rows: readonly (readonly string[])[];
}

function tablesWithColumn(last: RegExp): Table[] {
  const tables: { head: readonly string[]; rows: string[][] }[] = [];
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('|')) continue;
    const row = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (!lines[at - 1]?.startsWith('|')) tables.push({ head: row, rows: [] });
    else if (!/^-+$/.test(row[0] ?? '')) tables.at(-1)?.rows.push(row);
  }
  return tables.filter(({ head }) => last.test(head.at(-1) ?? ''));
}
