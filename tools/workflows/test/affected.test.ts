import { afterAll, beforeAll, expect, test } from 'vitest';
import { newerJose } from './lockfile.ts';
import { type ScratchRepository, scratchRepository } from './scratch-repository.ts';

let repository: ScratchRepository;
let everything: readonly string[];

beforeAll(() => {
  repository = scratchRepository();
  everything = tasks(repository.dryRun(['test', 'test:postgres']));
});
afterAll(() => repository[Symbol.dispose]());

function tasks(run: ReadonlyMap<string, string>): readonly string[] {
  return [...run.keys()].toSorted();
}

/** The test tasks that a pull request runs whose one commit changes this file. */
function affectedBy(file: string, change?: (text: string) => string): readonly string[] {
  const base = repository.git('rev-parse', 'HEAD');
  repository.change(file, change);
  repository.commit();
  return tasks(repository.dryRun(['test', 'test:postgres', '--affected'], { TURBO_SCM_BASE: base }));
}

const ofPostgres = ['adapters-postgres#test', 'api#test:postgres', 'bench#test:postgres', 'testing-postgres#test'];

test('without a base, there are the tests of every package', () => {
  expect(everything).toEqual(
    expect.arrayContaining([...ofPostgres, 'domain#test', 'adapters-sqlite#test', 'api#test']),
  );
  expect(everything.length).toBeGreaterThan(12);
});

test('a change in adapters-sqlite runs no PostgreSQL test', () => {
  const affected = affectedBy('packages/adapters-sqlite/src/sqlite-store.ts');
  expect(affected).toEqual([
    'adapters-sqlite#test',
    'api#test',
    'bench#test',
    'deploy#test',
    'documents#test',
    'testing-clients#test',
  ]);
  expect(affected.filter((task) => ofPostgres.includes(task))).toEqual([]);
});

test.each<[string, string[]]>([
  [
    'packages/adapters-postgres/src/postgres-store.ts',
    [
      'adapters-postgres#test',
      'api#test',
      'api#test:postgres',
      'bench#test',
      'bench#test:postgres',
      'deploy#test',
      'documents#test',
      'testing-clients#test',
    ],
  ],
  ['packages/adapters-sqlite/test/contract.test.ts', ['adapters-sqlite#test', 'documents#test']],
  ['packages/adapters-sqlite/test/failures.test.ts', ['adapters-sqlite#test']],
  [
    'packages/adapters-http/src/errors/catalogue.ts',
    [
      'adapters-http#test',
      'api#test',
      'api#test:postgres',
      'bench#test',
      'deploy#test',
      'documents#test',
      'testing-clients#test',
    ],
  ],
  ['apps/api/test/postgres/crash.test.ts', ['api#test:postgres']],
  ['apps/api/test/postgres/deployed-files.test.ts', ['api#test:postgres', 'upkeep#test']],
  ['.ci/run', ['api#test', 'upkeep#test', 'workflows#test']],
  ['apps/api/test/shutdown.test.ts', ['api#test']],
  ['apps/api/test/telemetry/metrics.test.ts', ['api#test']],
  ['apps/api/test/telemetry/exposition.ts', ['api#test', 'api#test:postgres']],
  ['deploy/prometheus/plant-store.rules.yaml', ['api#test:postgres', 'deploy#test']],
  ['docs/performance.md', ['api#test', 'documents#test']],
  ['README.md', ['api#test', 'api#test:postgres', 'deploy#test', 'documents#test', 'workflows#test']],
  ['CONTRIBUTING.md', ['api#test', 'documents#test']],
  ['docs/clients.md', ['api#test', 'documents#test', 'testing-clients#test']],
  ['packages/domain/test/zoo/stores.ts', ['domain#test']],
  ['packages/adapters-sqlite/test/migrations.test.ts', ['adapters-sqlite#test']],
  ['docs/tour.md', ['api#test', 'api#test:postgres', 'documents#test']],
  ['.github/workflows/ci.yml', ['workflows#test']],
])('a change of %s runs the tests that read it, and no others', (file, expected) => {
  expect(affectedBy(file)).toEqual(expected);
});

test('a change in adapters-memory runs nothing of another store, whose testing-stores only checks itself with it', () => {
  const affected = affectedBy('packages/adapters-memory/src/memory-store.ts');
  expect(affected).toEqual(expect.arrayContaining(['adapters-memory#test', 'testing-stores#test', 'api#test']));
  expect(affected.filter((task) => /^adapters-(postgres|sqlite)#/.test(task))).toEqual([]);
});

test('a change in domain runs the tests of everything that is built on it', () => {
  const expected = everything.filter((task) => !/^(testing-postgres|releases|upkeep|workflows)#/.test(task));
  expect(affectedBy('packages/domain/src/plant.ts')).toEqual(expected);
});

test.each(['pnpm-workspace.yaml', 'tsconfig.base.json', 'biome.json', 'turbo.json'])(
  'a change of %s runs the tests of everything',
  (file) => {
    expect(affectedBy(file)).toEqual(everything);
  },
);

test('another version of what one package uses runs the tests of what is built on it', () => {
  const affected = affectedBy('pnpm-lock.yaml', newerJose);
  expect(affected).toEqual(expect.arrayContaining(['adapters-tokens#test', 'api#test', 'api#test:postgres']));
});
