import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { files, read, root } from '../repository.ts';

/** Rules about texts, which dependency-cruiser does not check: name, files, forbidden pattern. */
const textRules = [
  // A computed name may be that of any module.
  ['domain-imports-nothing-computed', 'packages/domain/src/**/*.ts', /\bimport\s*\(/],
  // The domain's tsconfig has no types of Node or a browser. Declarations would bring them back.
  ['domain-declares-no-globals', 'packages/domain/src/**/*.ts', /^\s*(export\s+)?declare\s|^\s*\/\/\/\s*</m],
  // Else what the two rules before forbid compiles behind such a comment.
  ['domain-suppresses-no-error', 'packages/domain/{src,test}/**/*.ts', /@ts-(expect-error|ignore|nocheck)/],
  // Imports of such paths are left to `through-exports-only`.
  [
    'adapters-read-no-file-of-the-domain',
    'packages/adapters-*/{src,test}/**/*.ts',
    /^(?!\s*(import|export)\b).*['"`/](domain\/(src|test|dist|package)|domain['"`],)/m,
  ],
] as const;

/** Files with their text and, if it breaks a rule, the rule. */
const planted = `
packages/domain/src/a.ts | import { x } from '@plant-store/group-commit'; await using y = x; | domain-imports-nothing
packages/domain/src/b.ts | import type { Stats } from 'node:fs'; export type T = Stats; | domain-imports-nothing
packages/domain/src/c.ts | export * from 'jose'; | domain-imports-nothing
packages/domain/src/d.ts | export const x = (name: string) => import(name); | domain-imports-nothing-computed
packages/domain/src/e.ts | declare const process: { exit(): void }; process.exit(); | domain-declares-no-globals
packages/domain/src/h.ts | // @ts-expect-error: process.env.HOME | domain-suppresses-no-error
packages/domain/src/i.ts | /* @ts-ignore */ process.exit(); | domain-suppresses-no-error
packages/domain/src/g.ts | /// <reference lib="dom" /> | domain-declares-no-globals
clients/typescript/src/a.ts | import type { x } from '@plant-store/domain'; export type T = x; | clients-import-nothing
clients/typescript/src/b.ts | import 'node:timers'; | clients-import-nothing
libraries/group-commit/src/b.ts | import 'kysely'; | own-technology-only
libraries/group-commit/src/c.ts | import '@plant-store/domain'; | group-commit-imports-no-package
libraries/group-commit/src/e.ts | import type { x } from '@plant-store/contracts-kit'; export type T = x; | served-code-knows-no-contract
packages/store-kit/src/sql/a.ts | import 'kysely';
packages/store-kit/src/sql/b.ts | import 'pg'; | own-technology-only
packages/store-kit/src/c.ts | import '@plant-store/api'; | store-kit-knows-no-adapter
contracts/kit/src/a.ts | import '@plant-store/domain'; | kit-imports-no-package
apps/api/src/bulk.ts | import '@plant-store/adapters-memory'; | bulk-knows-records-only
contracts/kit/src/b.ts | import 'vitest'; | vitest-is-behind-its-own-export
contracts/kit/src/c.ts | import './vitest/a.ts'; | vitest-is-behind-its-own-export
contracts/kit/src/vitest/a.ts | import 'vitest';
contracts/stores/src/b.ts | import '@plant-store/group-commit'; | contracts-know-kit-and-domain
contracts/stores/src/c.ts | import '@plant-store/store-kit'; | contracts-know-kit-and-domain
packages/adapters-citus/src/b.ts | import '@plant-store/adapters-memory'; | adapters-know-no-adapter
packages/adapters-http/src/plants.ts | import 'fastify';
packages/adapters-http/src/gardens.ts | import type { x } from './server.ts'; export type T = x; | an-operation-knows-no-server
packages/adapters-http/src/server.ts | import '@plant-store/contracts-stores'; export const x = 1; | served-code-knows-no-contract
packages/adapters-http/src/admin-server.ts | import '@fastify/swagger-ui'; | description-alone-has-the-page
packages/adapters-http/src/telemetry.ts | import 'pg'; | own-technology-only
packages/adapters-http/src/admission.ts | import '@plant-store/store-kit'; | driving-adapters-know-domain-only
packages/adapters-http/src/json.ts | import 'fastify'; | json-and-limits-need-no-server
packages/adapters-memory/src/a.ts | import 'kysely'; | own-technology-only
packages/adapters-memory/src/b.ts | import 'node:net'; | memory-needs-no-system
packages/adapters-postgres/src/b.ts | import { DatabaseSync } from 'node:sqlite'; | databases-belong-to-their-adapters
packages/adapters-postgres/src/c.ts | import '../harness/a.ts'; | served-code-knows-no-contract
packages/adapters-postgres/harness/a.ts | import '@plant-store/contracts-stores';
packages/adapters-postgres/harness/b.ts | import '@plant-store/testing'; | adapters-know-no-adapter
packages/adapters-sqlite/src/a.ts | import 'node:sqlite'; import { types } from 'pg'; | own-technology-only
packages/adapters-sqlite/src/b.ts | import '../test/b.ts'; | source-knows-no-tests
packages/adapters-sqlite/test/a.ts | import('@plant-store/adapters-postgres'); | only-the-application-knows-adapters
packages/adapters-sqlite/test/c.ts | vi.mock('@plant-store/adapters-postgres', () => ({})); | only-the-application-knows-adapters
packages/adapters-sqlite/test/d.ts | import 'undeclared'; | declared
packages/adapters-sqlite/test/b.ts | export const x = 1;
packages/adapters-tokens/src/a.ts | import '../../domain/src/index.ts'; | through-exports-only
packages/adapters-tokens/src/b.ts | import '@plant-store/domain/src/index.ts'; | resolvable
packages/adapters-tokens/src/c.ts | readFileSync(new URL('../../domain/src/plant.ts', import.meta.url)); | adapters-read-no-file-of-the-domain
packages/adapters-tokens/src/f.ts | readFileSync(join(root, 'domain', 'package.json')); | adapters-read-no-file-of-the-domain
packages/adapters-tokens/src/d.ts | import './e.ts'; | no-cycles
packages/adapters-tokens/src/e.ts | import type { x } from './d.ts'; export type T = x;
packages/adapters-new/src/a.ts | import 'pg'; | own-technology-only
packages/adapters-new/src/b.ts | import 'kysely'; import 'ledger';
testing/src/a.ts | import 'pg';
apps/api/src/config.ts | import './cli/a.ts'; | floors-of-the-application
apps/api/src/tokens.ts | import './metrics.ts'; | floors-of-the-application
apps/api/src/metrics.ts | export const x = 1;
apps/api/src/version.ts | import './serve.ts'; | floors-of-the-application
apps/api/src/serve.ts | import './version.ts'; | no-cycles
apps/api/src/cli/a.ts | import 'vitest'; | source-needs-dependencies
apps/api/src/cli/b.ts | import 'kysely'; | the-application-has-no-driver
apps/api/src/compose.ts | import './stores.ts';
apps/api/src/stores.ts | import '@plant-store/adapters-memory'; import('@plant-store/contracts-stores'); | served-code-knows-no-contract
apps/api/src/elsewhere/a.ts | import '@plant-store/domain'; | a-floor-for-each-file-of-the-application
`;

const technologies = ['@fastify/swagger', '@fastify/swagger-ui', 'fastify', 'jose', 'kysely', 'ledger', 'pg', 'zod'];

test('every rule finds its planted violations, and nothing else', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-boundaries-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const plants = planted
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));
  for (const [path = '', text = ''] of plants) write(path, text);
  mkdirSync(join(directory, 'node_modules/@plant-store'), { recursive: true });
  for (const folder of globSync(['{apps,clients,contracts,libraries,packages}/*', 'testing'], { cwd: directory })) {
    const name = `@plant-store/${folder.replace(/^(apps|libraries|packages)\//, '').replace('/', '-')}`;
    const exports = { '.': { development: './src/index.ts' } };
    const dependencies = Object.fromEntries(technologies.map((each) => [each, '1']));
    const vitest = { vitest: '1' };
    const peerDependencies = name.endsWith('-kit') ? vitest : {};
    const manifest = { name, exports, dependencies, peerDependencies, devDependencies: vitest };
    write(`${folder}/package.json`, JSON.stringify(manifest));
    write(`${folder}/src/index.ts`, 'export const x = 1;');
    symlinkSync(join(directory, folder), join(directory, 'node_modules', name));
  }
  // Their entry is in dist, which the rules exclude in our own packages only.
  for (const name of [...technologies, 'undeclared', 'vitest']) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: './dist/index.js' }));
    write(`node_modules/${name}/dist/index.js`, '');
  }

  const cruised = cruise(directory, ['apps', 'clients', 'contracts', 'libraries', 'packages', 'testing']);
  const rules = [...cruised.rules, ...textRules.map(([name]) => name)];
  const violations = [...cruised.violations, ...textViolations(directory)];
  const expected = plants.flatMap(([path, , rule]) => (rule === undefined ? [] : [`${path} ${rule}`]));
  expect(violations.toSorted()).toEqual(expected.toSorted());
  expect(rules.filter((name) => !expected.some((each) => each.endsWith(` ${name}`)))).toEqual([]);
});

test('no file of the workspace breaks a rule about texts', () => {
  expect(textViolations(root)).toEqual([]);
  expect(textRules.filter(([, pattern]) => globSync(pattern, { cwd: root }).length === 0)).toEqual([]);
});

if (process.env['TEST_EXHAUSTIVE']) {
  // `pnpm boundaries` does not notice if it no longer reads the modules.
  test('the workspace breaks no rule, and every module is checked', () => {
    const folders = ['apps', 'bench', 'clients', 'contracts', 'libraries', 'packages', 'testing', 'tools'];
    const { modules, violations } = cruise(root, folders);
    expect(violations).toEqual([]);
    const known = files(`{${folders}}/**/*.ts`);
    expect(known.filter((path) => !modules.has(path))).toEqual([]);
    expect(known.length).toBeGreaterThan(300);
  });
}

const contract = { '@plant-store/contracts-stores': {} };

test.each<[path: string, count: number, manifest: Readonly<Record<string, object>>]>([
  ['a server for tests', 1, { dependencies: { '@plant-store/testing': {} } }],
  ['a contract as a peer', 1, { peerDependencies: contract }],
  ...files('{libraries,packages}/*/package.json').map((path) => [path, 0, JSON.parse(read(path))] as never),
])('%s brings %i packages of contracts and test servers along when it is installed', (_, count, manifest) => {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => !(name in peerDependenciesMeta));
  const installed = [...Object.keys(dependencies), ...peers];
  expect(installed.filter((name) => /^@plant-store\/(contracts-|testing$)/.test(name))).toHaveLength(count);
});

/** The files of a directory that break a rule about texts, each with the name of the rule. */
function textViolations(directory: string): readonly string[] {
  return textRules.flatMap(([name, pattern, text]) =>
    globSync(pattern, { cwd: directory })
      .filter((path) => text.test(readFileSync(join(directory, path), 'utf8')))
      .map((path) => `${path} ${name}`),
  );
}

/** Runs dependency-cruiser on folders of a directory, with the rules of the workspace. */
function cruise(directory: string, folders: readonly string[]) {
  const program = join(root, 'node_modules/.bin/depcruise');
  const options = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', ...folders];
  const { stdout } = spawnSync(program, options, { cwd: directory, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const { modules, summary } = JSON.parse(stdout);
  const violations: readonly { from: string; rule: { name: string } }[] = summary.violations;
  return {
    rules: summary.ruleSetUsed.forbidden.map(({ name }: { name: string }): string => name),
    modules: new Set(modules.map(({ source }: { source: string }) => source)),
    violations: [...new Set(violations.map(({ from, rule }) => `${from} ${rule.name}`))],
  };
}
