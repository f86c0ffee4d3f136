import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cruise, root } from './cruise.ts';
import { textRules, textViolations } from './texts.ts';

test('to install a served package brings no contract and no testing package along', () => {
  const manifests = globSync('{packages/*,libraries/*}/package.json', {
    cwd: root,
  });
  expect(manifests.length).toBeGreaterThan(5);
  const brought = (path: string) => broughtBy(JSON.parse(readFileSync(join(root, path), 'utf8')));
  expect(manifests.filter((path) => brought(path).length > 0)).toEqual([]);

  const contract = { '@plant-store/contracts-stores': 'workspace:*' };
  expect(broughtBy({ dependencies: contract })).toHaveLength(1);
  expect(broughtBy({ dependencies: { '@plant-store/testing': 'workspace:*' } })).toHaveLength(1);
  expect(broughtBy({ peerDependencies: contract })).toHaveLength(1);
  const optional = { '@plant-store/contracts-stores': { optional: true } };
  expect(broughtBy({ peerDependencies: contract, peerDependenciesMeta: optional })).toEqual([]);
});

/** A file, what it holds, and the rules that this breaks. */
const planted = `
packages/domain/src/a.ts | import { x } from '@plant-store/group-commit'; await using y = x; | domain-imports-nothing
packages/domain/src/b.ts | import type { Stats } from 'node:fs'; export type T = Stats; | domain-imports-nothing
packages/domain/src/c.ts | export * from 'jose'; | domain-imports-nothing
packages/domain/src/d.ts | export const x = (name: string) => import(name); | domain-imports-nothing-computed
packages/domain/src/e.ts | declare const process: { exit(): void }; process.exit(); | domain-declares-no-globals
packages/domain/src/f.ts | declare function setTimeout(f: () => void): void; setTimeout(() => {}); | domain-declares-no-globals
packages/domain/src/g.ts | /// <reference lib="dom" /> | domain-declares-no-globals
packages/domain/src/h.ts | /** The plants that other packages declare. */ export const declared = 'import';
packages/domain/test/a.ts | import 'node:fs';
libraries/group-commit/src/a.ts | import './d.ts';
libraries/group-commit/src/d.ts | export const x = 1;
libraries/group-commit/src/b.ts | import 'kysely'; | own-technology-only
libraries/group-commit/src/c.ts | import '@plant-store/domain'; | group-commit-imports-no-package
libraries/group-commit/src/e.ts | import './contract/a.ts'; | served-code-knows-no-contract
libraries/group-commit/src/contract/a.ts | import '@plant-store/contracts-kit'; import '../d.ts';
libraries/group-commit/src/contract/b.ts | import '@plant-store/domain'; | group-commit-imports-no-package
packages/store-kit/src/sql/a.ts | import 'kysely'; import '@plant-store/group-commit'; import '../e.ts';
packages/store-kit/src/sql/b.ts | import 'pg'; | own-technology-only
packages/store-kit/src/c.ts | import '@plant-store/api'; | store-kit-knows-no-adapter
packages/store-kit/src/d.ts | import './sql/a.ts'; | a-start-on-sqlite-loads-no-kysely
packages/store-kit/src/e.ts | import '@plant-store/domain';
packages/store-kit/src/f.ts | import type { x } from '@plant-store/contracts-stores'; export type T = x; | served-code-knows-no-contract
contracts/kit/src/a.ts | import '@plant-store/domain'; | kit-imports-no-package
contracts/kit/src/cli/a.ts | import '@plant-store/domain'; | kit-imports-no-package
apps/api/src/bulk/a.ts | import '@plant-store/domain';
apps/api/src/bulk/b.ts | import '@plant-store/adapters-memory'; | bulk-knows-records-only
contracts/kit/src/b.ts | import 'vitest'; | vitest-is-behind-its-own-export
contracts/kit/src/c.ts | import './vitest/a.ts'; | vitest-is-behind-its-own-export
contracts/kit/src/vitest/a.ts | import 'vitest';
contracts/stores/src/a.ts | import '@plant-store/domain'; import '@plant-store/contracts-kit';
contracts/stores/src/b.ts | import '@plant-store/group-commit'; | contracts-know-kit-and-domain
contracts/stores/src/c.ts | import '@plant-store/store-kit'; | contracts-know-kit-and-domain
contracts/stores/src/d.ts | import type { x } from '@plant-store/store-kit'; export type T = x;
packages/adapters-citus/src/a.ts | import '@plant-store/adapters-postgres'; import 'kysely';
packages/adapters-citus/src/b.ts | import '@plant-store/adapters-memory'; | adapters-know-no-adapter
packages/adapters-http/src/create-plant.ts | import 'fastify'; import './errors.ts';
packages/adapters-http/src/list-plants.ts | import type { x } from './server.ts'; export type T = x; | floors-of-packages/adapters-http/src/
packages/adapters-http/src/authenticate.ts | import './create-plant.ts'; | floors-of-packages/adapters-http/src/
packages/adapters-http/src/server.ts | import '@plant-store/contracts-stores'; export const x = 1; | served-code-knows-no-contract
packages/adapters-http/src/admin-server.ts | import '@fastify/swagger-ui'; | description-alone-has-the-page
packages/adapters-http/src/description.ts | import '@fastify/swagger'; import '@fastify/swagger-ui'; import './openapi.ts';
packages/adapters-http/src/openapi.ts | import type { x } from '@fastify/swagger'; export type T = x;
packages/adapters-http/src/guards.ts | import '@fastify/swagger'; | description-alone-has-the-page
packages/adapters-http/src/telemetry.ts | import 'pg'; | own-technology-only
packages/adapters-http/src/errors.ts | import './json.ts';
packages/adapters-http/src/elsewhere.ts | import 'zod'; | a-floor-for-all-of-packages/adapters-http/src/
packages/adapters-http/src/json.ts | import 'fastify'; | records-and-limits-need-no-server
packages/adapters-http/src/limits.ts | import '@plant-store/domain';
packages/adapters-http/src/plant-records.ts | import './json.ts'; import 'zod'; | records-and-limits-need-no-server
packages/adapters-http/test/a.ts | import '@plant-store/adapters-memory';
packages/adapters-memory/src/a.ts | import 'kysely'; | own-technology-only
packages/adapters-memory/src/b.ts | import 'node:net'; | memory-needs-no-system
packages/adapters-postgres/src/a.ts | import 'pg'; import 'kysely'; import '@plant-store/group-commit';
packages/adapters-postgres/src/b.ts | import { DatabaseSync } from 'node:sqlite'; | databases-belong-to-their-adapters
packages/adapters-postgres/src/c.ts | import './harness/a.ts'; | served-code-knows-no-contract
packages/adapters-postgres/src/harness/a.ts | import '@plant-store/contracts-stores';
packages/adapters-postgres/src/harness/b.ts | import '@plant-store/testing'; | adapters-know-no-adapter
packages/adapters-sqlite/src/a.ts | import 'node:sqlite'; import { types } from 'pg'; | own-technology-only
packages/adapters-sqlite/src/b.ts | import '../test/b.ts'; | source-knows-no-tests
packages/adapters-sqlite/src/c.ts | import { sql } from 'kysely'; | a-start-on-sqlite-loads-no-kysely
packages/adapters-sqlite/src/d.ts | import type { sql } from 'kysely'; export const x = (): Promise<typeof sql> => import('kysely');
packages/adapters-sqlite/src/migrations/a.ts | import 'kysely';
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
packages/adapters-new/src/a.ts | import 'pg'; | a-new-adapter-names-its-technology
testing/src/a.ts | import 'pg';
apps/api/src/config/a.ts | import '../cli/index.ts'; | floors-of-apps/api/src/
apps/api/src/cli/index.ts | export const x = 1;
apps/api/src/cli/a.ts | import 'vitest'; import '../serve/import/index.ts'; | source-needs-dependencies
apps/api/src/cli/b.ts | import 'kysely'; | the-application-has-no-driver
apps/api/src/serve/import/index.ts | import '../a.ts';
apps/api/src/serve/a.ts | import '../stores/a.ts'; | through-the-index-of-a-folder
apps/api/src/compose.ts | import './stores/a.ts'; | through-the-index-of-a-folder
apps/api/src/stores/a.ts | import '@plant-store/adapters-memory';
apps/api/src/stores/b.ts | import('@plant-store/contracts-stores'); | served-code-knows-no-contract
apps/api/src/elsewhere.ts | import '@plant-store/domain'; | a-floor-for-all-of-apps/api/src/
`;

const technologies = ['@fastify/swagger', '@fastify/swagger-ui', 'fastify', 'jose', 'kysely', 'pg', 'zod'];

test('every rule is seen to fire where it should, and nowhere else', () => {
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
  for (const folder of globSync(['{apps,contracts,libraries,packages}/*', 'testing'], { cwd: directory })) {
    const name = `@plant-store/${folder.replace(/^(apps|libraries|packages)\//, '').replace('/', '-')}`;
    const exports = { '.': { development: './src/index.ts' }, './records': { development: './src/plant-records.ts' } };
    const dependencies = Object.fromEntries(technologies.map((each) => [each, '1']));
    const vitest = { vitest: '1' };
    const peerDependencies = name.endsWith('-kit') ? vitest : {};
    const manifest = { name, exports, dependencies, peerDependencies, devDependencies: vitest };
    write(`${folder}/package.json`, JSON.stringify(manifest));
    write(`${folder}/src/index.ts`, 'export const x = 1;');
    symlinkSync(join(directory, folder), join(directory, 'node_modules', name));
  }
  // Their entry is in dist, which is left out of our own packages alone.
  for (const name of [...technologies, 'undeclared', 'vitest']) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: './dist/index.js' }));
    write(`node_modules/${name}/dist/index.js`, '');
  }

  const cruised = cruise(directory, ['apps', 'contracts', 'libraries', 'packages', 'testing']);
  const rules = [...cruised.rules, ...textRules.map(({ name }) => name)];
  const violations = [...cruised.violations, ...textViolations(directory)];
  const expected = plants.flatMap(([path, , rule]) => (rule === undefined ? [] : [`${path} ${rule}`]));
  expect(violations.toSorted()).toEqual(expected.toSorted());
  expect(rules.filter((name) => !expected.some((each) => each.endsWith(` ${name}`)))).toEqual([]);
});

test('no file of the workspace breaks a rule about texts', () => {
  expect(textViolations(root)).toEqual([]);
  expect(textRules.filter(({ files }) => globSync(files, { cwd: root }).length === 0)).toEqual([]);
});

/** A harness has the contract as an optional peer. */
function broughtBy({
  dependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}: Manifest): readonly string[] {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys(dependencies), ...peers].filter((name) => /^@plant-store\/(contracts-|testing$)/.test(name));
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}
