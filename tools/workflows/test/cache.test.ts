import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newerJose } from './lockfile.ts';
import { type ScratchRepository, scratchRepository } from './scratch-repository.ts';

const all = ['build', 'typecheck', 'lint', 'test', 'test:postgres'];
let repository: ScratchRepository;
let before: ReadonlyMap<string, string>;

beforeAll(() => {
  repository = scratchRepository();
  before = repository.dryRun(all);
});
afterAll(() => repository[Symbol.dispose]());

/** The tasks whose answer in the cache no longer counts after this, and is there again when it is taken back. */
function rerunAfter(file: string, change: (text: string) => string): readonly string[] {
  const path = join(repository.path, file);
  const text = readFileSync(path, 'utf8');
  expect(change(text)).not.toBe(text);
  writeFileSync(path, change(text));
  try {
    return differing(repository.dryRun(all));
  } finally {
    writeFileSync(path, text);
  }
}

function differing(after: ReadonlyMap<string, string>): readonly string[] {
  return [...after].flatMap(([task, hash]) => (before.get(task) === hash ? [] : [task])).toSorted();
}

const addLine = (text: string) => `${text}\n`;

test('the same tree has the same hashes', () => {
  expect(before.size).toBeGreaterThan(40);
  expect(differing(repository.dryRun(all))).toEqual([]);
});

test.each([
  ['tsconfig.base.json', addLine],
  ['biome.json', addLine],
  ['pnpm-workspace.yaml', addLine],
  ['turbo.json', (text: string) => text.replace('"DOCKER_*"', '"DOCKER_*", "ENGINE_*"')],
])('a change of %s reruns everything', (file, change) => {
  expect(rerunAfter(file, change)).toEqual([...before.keys()].toSorted());
});

describe('a change of the lockfile', () => {
  test('of what only adapters-tokens uses reruns what is built on it, and not the domain or a store', () => {
    const rerun = rerunAfter('pnpm-lock.yaml', newerJose);
    expect(rerun).toEqual(expect.arrayContaining(['adapters-tokens#test', 'adapters-tokens#build', 'api#test']));
    expect(rerun.filter((task) => /^(domain|adapters-(memory|sqlite|postgres))#/.test(task))).toEqual([]);
  });

  test('of what everybody uses reruns everything', () => {
    const rerun = rerunAfter('pnpm-lock.yaml', (text) =>
      text.replaceAll('typescript@7.0.2', 'typescript@7.0.3').replaceAll(': 7.0.2', ': 7.0.3'),
    );
    expect(rerun).toEqual([...before.keys()].toSorted());
  });
});

test('a change of a package’s settings reruns that package', () => {
  const rerun = rerunAfter('packages/adapters-sqlite/vitest.config.ts', addLine);
  expect(rerun).toEqual(['adapters-sqlite#lint', 'adapters-sqlite#test', 'adapters-sqlite#typecheck']);
});

test('another PostgreSQL is another answer, for every task that starts one', () => {
  const after = repository.dryRun(all, { TEST_POSTGRES_IMAGE: 'postgres:15-alpine' });
  const ofPostgres = ['adapters-postgres#test', 'api#test:postgres', 'bench#test:postgres', 'testing-postgres#test'];
  expect(differing(after)).toEqual(expect.arrayContaining(ofPostgres));
  expect(differing(after).filter((task) => /#(build|typecheck|lint)$/.test(task))).toEqual([]);
});
