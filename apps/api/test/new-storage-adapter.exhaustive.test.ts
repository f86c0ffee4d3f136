import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContracts } from '@plant-store/contracts-stores';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, type ScratchCopy, scratchCopy } from './scratch-copy.ts';

const guide = readFileSync(join(root, 'docs/storage-adapters.md'), 'utf8');

/** The commands in the guide's fenced blocks, in their order. */
const [generate = '', runAll = '', runOne = ''] = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(
  ([, block = '']) => block.trim().split('\n'),
);

let copy: ScratchCopy;
const directory = join(tmpdir(), `plant-store-${randomUUID()}`);
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeAll(async () => {
  copy = await scratchCopy(directory);
}, 120_000);

test.each([
  ['', 'the name of the engine is missing'],
  ['MyEngine', '"MyEngine" is not in kebab case'],
  ['my_engine', '"my_engine" is not in kebab case'],
  ['../escape', '"../escape" is not in kebab case'],
  ['sqlite', 'packages/adapters-sqlite is there already'],
  ['clients', 'packages/testing-clients is there already'],
  ['my engine', 'one name is expected, 2 came'],
  ['my-engine --sever', "Unknown option '--sever'"],
  ['my-engine --outside docs', 'the directory '],
  ['my-engine --outside ../x --server', '--outside goes with neither --client nor --server'],
])('the name "%s" is rejected with one line that says why and what to do', async (name, why) => {
  const { code, output } = await copy.shell(`node_modules/.bin/node turbo/generators/new-storage-adapter.ts ${name}`);
  const [line = '', ...others] = output.trimEnd().split('\n');
  expect({ code, others }).toEqual({ code: 1, others: [] });
  expect(line.startsWith(why)).toBe(true);
  expect(line).toMatch(
    /: npx -y pnpm@12 new:storage-adapter <name> \[--client <npm package>\] \[--server\] \| --outside <directory>$/,
  );
});

describe("the guide's first command", () => {
  const folder = 'packages/adapters-my-engine';

  beforeAll(async () => {
    const { code, output } = await copy.shell(generate);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(runAll) });
  }, 60_000);

  test('changes nothing else but what wires the package: its row in engines.ts is left to its author', async () => {
    expect(await changedOutside(copy, folder)).toEqual(wiring);
  });

  test('makes every file that the shortest adapter has, under its own names', () => {
    const shortest = filesOf(join(root, 'packages/adapters-memory')).map((file) => file.replace('memory', 'my-engine'));
    const made = filesOf(join(copy.path, folder));
    expect(made).toEqual(expect.arrayContaining([...shortest, 'README.md', 'src/harness/add-plants.ts']));
    const texts = made.map((file) => file + readFileSync(join(copy.path, folder, file), 'utf8'));
    expect(texts.filter((text) => /new-?engine/i.test(text))).toEqual([]);
  });

  test.each([
    ['compiles', `tsc -p ${folder}`],
    ['is linted clean', `biome check ${folder}`],
    ['is wired into the workspace, lockfile included', 'npx -y pnpm@12 install --offline --frozen-lockfile'],
    ['has an owner', 'vitest run --project tools code-owners documents'],
    ['keeps within the boundaries', 'depcruise packages/adapters-my-engine'],
    ['comes from a generator that compiles', 'tsc -p turbo/generators'],
  ])('makes a package that %s', async (_, command) => {
    const { code, output } = await copy.shell(`PATH=$PWD/node_modules/.bin:$PATH ${command}`);
    expect({ code, output }).toEqual({ code: 0, output: expect.any(String) });
  });

  test('makes a package whose contract fails in every clause, and says what to fill in first and what to read', {
    timeout: 120_000,
  }, async () => {
    const { code } = await copy.shell(runAll);
    expect(code).toBe(1);
    for (const message of messagesOf(copy))
      expect(message).toContain('my-engine-harness.ts does not implement scratch:');
  });

  test('makes a package whose contract, once there is an empty place, says clause by clause what to fill in next', {
    timeout: 120_000,
  }, async () => {
    const harness = join(copy.path, folder, 'src/harness/my-engine-harness.ts');
    const place = 'Promise.resolve({ options: { url: beside }, drop: async () => {} })';
    writeFileSync(harness, readFileSync(harness, 'utf8').replace('emptyPlace(beside)', place));
    await copy.shell(runAll);
    const missing = messagesOf(copy).map((message) => / does not implement (\w+):/.exec(message)?.[1]);
    expect(new Set(missing)).toEqual(new Set(['write', 'probe', 'close', 'refuse', 'export']));
  });

  test('makes a package of whose contract one clause can be run', async () => {
    await copy.shell(runOne);
    const ran = reportedTests(copy).filter(({ status }) => status === 'failed' || status === 'passed');
    expect(ran.map(({ title }) => title.split(' ')[0])).toEqual(['PR-1']);
  });
});

describe('with --server, the generator', () => {
  const made = ['packages/adapters-my-server', 'packages/testing-my-server'];

  // It compiles and lints what it makes itself, and fails otherwise. Of its clients, one is in the catalog; the other comes
  // from the registry.
  beforeAll(async () => {
    const command = 'npx -y pnpm@12 new:storage-adapter my-server --server --client kysely --client redis-parser';
    expect(await copy.shell(command)).toEqual({ code: 0, output: expect.stringContaining('adapters-my-server') });
  }, 120_000);

  test('changes nothing else but what wires the packages', async () => {
    expect(await changedOutside(copy, ...made, 'packages/adapters-my-engine')).toEqual(wiring);
  });

  test('grants the clients, and has the tasks and projects that CI finds by themselves', async () => {
    const { code, output } = await copy.shell(`node_modules/.bin/depcruise ${made.join(' ')} &&
      node_modules/.bin/vitest run --project tools workflows code-owners &&
      node .ci/store-tests.mjs tasks && node_modules/.bin/turbo run test:my-server --dry`);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('test:my-server ') });
    expect(output).toContain('vitest run --root ../.. --project api-my-server');
    expect(readFileSync(join(copy.path, '.dependency-cruiser.mjs'), 'utf8')).toContain(
      "'adapters-my-server': ['kysely', 'redis-parser'],",
    );
    const { dependencies } = JSON.parse(
      readFileSync(join(copy.path, 'packages/adapters-my-server/package.json'), 'utf8'),
    );
    expect(dependencies).toMatchObject({
      kysely: 'catalog:',
      'redis-parser': expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  test.each(['adapters', 'testing', 'api'])(
    'makes a project %s-my-server that says what to fill in first',
    async (kind) => {
      const { code, output } = await copy.shell(`node_modules/.bin/vitest run --project ${kind}-my-server`);
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('does not implement commandOf: ') });
    },
  );
});

/** What a new adapter changes outside its packages. */
const wiring = ['.dependency-cruiser.mjs', '.github/CODEOWNERS', 'apps/api/package.json', 'pnpm-lock.yaml'];

async function changedOutside({ shell }: ScratchCopy, ...folders: readonly string[]): Promise<readonly string[]> {
  const { output } = await shell('git status --porcelain --untracked-files=all');
  const paths = output.split('\n').map((line) => line.slice(3));
  return paths.filter((path) => path && !folders.some((folder) => path.startsWith(`${folder}/`))).toSorted();
}

/** The files of a package that its author has written, sorted. */
function filesOf(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
  return paths.filter((path) => !/^(node_modules|dist|\.turbo|coverage|reports)\//.test(path)).sort();
}

/** What is said of each clause, all of which have failed. */
function messagesOf(copy: ScratchCopy): readonly string[] {
  const tests = reportedTests(copy);
  expect(tests.map(({ title, status }) => `${title}: ${status}`)).toEqual(
    storeContracts.flatMap(({ clauses }) => clauses.map(({ id, title }) => `${id} ${title}: failed`)),
  );
  for (const { title, message } of tests)
    expect(message).toContain(`${title.split(' ')[0]} in docs/storage-adapters.md`);
  return tests.map(({ message }) => message);
}

/** What vitest has reported last, in the order of the file. */
function reportedTests({ path }: ScratchCopy): { title: string; status: string; message: string }[] {
  const { testResults } = JSON.parse(readFileSync(join(path, 'reports/test.json'), 'utf8'));
  const [{ assertionResults }] = testResults;
  return assertionResults.map((result: { title: string; status: string; failureMessages: string[] }) => {
    return { title: result.title, status: result.status, message: result.failureMessages.join('\n') };
  });
}
