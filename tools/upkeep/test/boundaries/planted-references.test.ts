import { expect, test } from 'vitest';
import { checkBoundaries } from '../../src/boundaries/check-boundaries.ts';
import { type RuleName, rules } from '../../src/boundaries/rules.ts';
import { withModules } from './workspace-with.ts';

const domain = 'packages/domain/src';
const sqlite = 'packages/adapters-sqlite/src';
const memory = 'packages/adapters-memory/src';
const http = 'packages/adapters-http/src';

/** A line that is planted in a file, and the rule that it breaks. */
const planted: readonly (readonly [rule: RuleName, folder: string, line: string])[] = [
  ['domain-knows-nothing', domain, "import { Client } from 'pg';"],
  ['domain-knows-nothing', domain, "import type { Client } from 'pg';"],
  ['domain-knows-nothing', domain, "import { type Client } from 'pg';"],
  ['domain-knows-nothing', domain, "import 'fast-check';"],
  ['domain-knows-nothing', domain, "import { readFileSync } from 'node:fs';"],
  ['domain-knows-nothing', domain, "import { readFileSync } from 'fs';"],
  ['domain-knows-nothing', domain, "export { readFileSync } from 'node:fs';"],
  ['domain-knows-nothing', domain, "export type { Stats } from 'node:fs';"],
  ['domain-knows-nothing', domain, "export * from 'kysely';"],
  ['domain-knows-nothing', domain, "export const load = () => import('pg');"],
  ['domain-knows-nothing', domain, 'export const load = () => import(`pg`);'],
  ['domain-knows-nothing', domain, "export const client = require('pg');"],
  ['domain-knows-nothing', domain, "import pg = require('pg');"],
  ['domain-knows-nothing', domain, "export type Client = import('pg').Client;"],
  ['domain-knows-nothing', domain, "export let client: typeof import('pg') | undefined;"],
  ['domain-knows-nothing', domain, '/// <reference types="node" />'],
  ['domain-knows-nothing', domain, '/// <reference preserve="true" types="node" />'],
  ['domain-knows-nothing', domain, '/// <reference lib="dom" />'],
  ['domain-knows-nothing', domain, "/// <Reference lib = 'dom' />"],
  ['domain-knows-nothing', domain, "import { plantOf } from '@plant-store/adapters-memory';"],
  ['domain-knows-nothing', domain, "import { createPlant } from '@plant-store/domain';"],
  ['domain-knows-nothing', 'packages/domain/extra', "export * from 'node:fs';"],
  ['domain-knows-nothing', 'packages/domain', "export * from 'node:fs';"],
  ['domain-knows-nothing', 'packages/domain/src/test', "export * from 'node:fs';"],
  ['arrows-point-inwards', 'packages/adapters-sqlite/extra', "import '@plant-store/adapters-postgres';"],
  ['domain-knows-nothing', `${domain}/contract`, "import { expect } from 'vitest';"],
  ['imports-are-visible', domain, "export const fs = process.getBuiltinModule('node:fs');"],
  ['imports-are-visible', domain, 'export const load = (name: string) => import(name);'],

  ['arrows-point-inwards', sqlite, "import { openPostgres } from '@plant-store/adapters-postgres';"],
  ['arrows-point-inwards', sqlite, "import type { PostgresOptions } from '@plant-store/adapters-postgres';"],
  ['arrows-point-inwards', sqlite, "export * from '@plant-store/adapters-postgres/under-test';"],
  ['arrows-point-inwards', sqlite, "export type O = import('@plant-store/adapters-postgres').PostgresOptions;"],
  ['arrows-point-inwards', sqlite, "export const load = () => import('@plant-store/adapters-http');"],
  ['arrows-point-inwards', sqlite, "export const p = import.meta.resolve('@plant-store/adapters-postgres');"],
  ['arrows-point-inwards', sqlite, "export const p = import.meta . resolve ('@plant-store/adapters-postgres');"],
  ['arrows-point-inwards', sqlite, "export const p = import.meta['resolve']('@plant-store/adapters-postgres');"],
  ['arrows-point-inwards', sqlite, "export const p = require.resolve('@plant-store/adapters-postgres');"],
  ['arrows-point-inwards', 'packages/adapters-sqlite/test', "import '@plant-store/adapters-postgres';"],
  ['arrows-point-inwards', 'packages/adapters-sqlite/test', "import '@plant-store/adapters-memory';"],
  ['arrows-point-inwards', 'packages/adapters-http/test', "import '@plant-store/adapters-sqlite';"],
  ['arrows-point-inwards', 'packages/adapters-http/test', "import '@plant-store/api';"],
  ['arrows-point-inwards', sqlite, "import { compose } from '@plant-store/api';"],
  ['arrows-point-inwards', `${sqlite}/under-test`, "import { freshDatabase } from '@plant-store/testing-postgres';"],
  ['arrows-point-inwards', 'apps/api/src', "import { freshDatabase } from '@plant-store/testing-postgres';"],
  ['arrows-point-inwards', 'packages/testing-postgres/src', "import '@plant-store/adapters-postgres';"],
  ['arrows-point-inwards', 'tools/upkeep/src', "import '@plant-store/domain';"],
  ['testing-stays-outside', sqlite, "import { startAdder } from '@plant-store/testing-stores';"],
  ['imports-are-visible', sqlite, "import { createRequire as cr } from 'node:module';"],
  ['imports-are-visible', sqlite, "import * as module from 'module';"],
  ['imports-are-visible', sqlite, 'export const find = (name: string) => import.meta.resolve(name);'],
  ['imports-are-visible', 'packages/testing-stores/src', 'export const load = (name: string) => import(name);'],
  ['imports-are-visible', sqlite, "export const load = createRequire(import.meta.url)('pg');"],
  ['imports-are-visible', sqlite, "export const load = module.createRequire(import.meta.url)('pg');"],

  ['own-technology-only', http, "import { DatabaseSync } from 'node:sqlite';"],
  ['own-technology-only', http, "import type { DatabaseSync } from 'node:sqlite';"],
  ['own-technology-only', `${http}/contract`, "export const load = () => import('node:sqlite');"],
  ['own-technology-only', 'packages/adapters-http/test', "import { DatabaseSync } from 'node:sqlite';"],
  ['own-technology-only', 'apps/api/src', "import { DatabaseSync } from 'node:sqlite';"],
  ['own-technology-only', memory, "import { connect } from 'node:net';"],
  ['own-technology-only', memory, "import { connect } from 'net';"],
  ['own-technology-only', memory, "import { lookup } from 'node:dns/promises';"],
  ['own-technology-only', memory, "import { lookup } from 'dns/promises';"],
  ['own-technology-only', sqlite, "import { request } from 'node:https';"],
  ['own-technology-only', 'packages/adapters-sqlite/test', "import { createServer } from 'node:http';"],
  ['own-technology-only', 'packages/testing-stores/src', "import { connect } from 'node:tls';"],
  ['own-technology-only', sqlite, "import { Client } from 'pg';"],
  ['own-technology-only', sqlite, "import type { Client } from 'pg';"],
  ['own-technology-only', sqlite, "import Pool from 'pg-pool';"],
  ['own-technology-only', 'packages/adapters-sqlite/test', "import { Client } from 'pg';"],
  ['own-technology-only', 'apps/api/src', "export type Client = import('pg').Client;"],
  ['own-technology-only', 'apps/api/test', "import { Client } from 'pg';"],
  ['own-technology-only', memory, "import { Migrator } from 'kysely/migration';"],
  ['own-technology-only', 'apps/api/src', "import { Kysely } from 'kysely';"],
  ['own-technology-only', http, "import { jwtVerify } from 'jose';"],
  ['own-technology-only', 'packages/adapters-tokens/src', "import type { FastifyRequest } from 'fastify';"],
  ['own-technology-only', 'packages/adapters-tokens/src', "import rateLimit from '@fastify/rate-limit';"],
  ['own-technology-only', 'packages/adapters-postgres/src', "import { DatabaseSync } from 'node:sqlite';"],
  ['own-technology-only', 'packages/domain/test', "import { DatabaseSync } from 'node:sqlite';"],
  ['own-technology-only', 'turbo/generators', "import { Client } from 'pg';"],

  ['declared-in-the-manifest', sqlite, "import { z } from 'zod';"],
  ['declared-in-the-manifest', sqlite, "import { expect } from 'vitest';"],
  ['declared-in-the-manifest', sqlite, "import type { z } from 'zod';"],
  ['declared-in-the-manifest', sqlite, "import '#internal';"],
  ['declared-in-the-manifest', 'packages/adapters-sqlite/test', "import { z } from 'zod';"],
  ['declared-in-the-manifest', 'packages/adapters-sqlite/test', "import '@plant-store/testing-postgres';"],
  ['declared-in-the-manifest', 'turbo/generators', "import { z } from 'zod';"],

  ['through-exports-only', sqlite, "import { plant } from '@plant-store/domain/src/plant.ts';"],
  ['through-exports-only', sqlite, "import { plant } from '@plant-store/domain/dist/plant.js';"],
  ['through-exports-only', sqlite, "import { plant } from '@plant-store/domain/contract/index';"],
  ['through-exports-only', sqlite, "import { plant } from '../../domain/src/plant.ts';"],
  ['through-exports-only', sqlite, "export type Plant = import('../../domain/src/plant.ts').Plant;"],
  ['through-exports-only', sqlite, "export const load = () => import('../../adapters-postgres/src/index.ts');"],
  ['through-exports-only', sqlite, "export const load = require('../../adapters-postgres/src/index.ts');"],
  ['through-exports-only', sqlite, "import '../node_modules/kysely/dist/index.js';"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "import '../node_modules/kysely/dist/index.js';"],
  ['through-exports-only', sqlite, "import { base } from '../../../stryker.base.mjs';"],
  ['through-exports-only', sqlite, "import '../../../../elsewhere/x.ts';"],
  ['through-exports-only', sqlite, "import '/etc/x.ts';"],
  ['through-exports-only', sqlite, "import 'file:///etc/x.ts';"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "import '../../domain/src/plant.ts';"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "import '@plant-store/adapters-sqlite/src/lock.ts';"],
  ['through-exports-only', 'turbo/generators', "import '../../packages/domain/src/plant.ts';"],

  ['through-exports-only', 'packages/adapters-sqlite/test', "vi.mock('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', 'vi.mock(`../../domain/src/plant.ts`, () => ({}));'],
  ['through-exports-only', 'packages/adapters-sqlite/test', "vi.mock(import('../../domain/src/plant.ts'));"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "vi.doMock('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "vi.unmock('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "vi.doUnmock('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "await vi.importActual('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "await vi.importMock('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "vi.importActual<Plant>('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "vitest.mock('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "vi['mock']('../../domain/src/plant.ts');"],
  ['through-exports-only', 'packages/adapters-sqlite/test', "vi.mock('@plant-store/domain/src/plant.ts');"],
  ['arrows-point-inwards', 'packages/adapters-sqlite/test', "vi.mock('@plant-store/adapters-postgres');"],
  ['own-technology-only', 'packages/adapters-http/test', "vi.mock('node:sqlite');"],

  ['own-files-only', sqlite, "export const u = new URL('../../domain/src/plant.ts', import.meta.url);"],
  ['own-files-only', sqlite, "new URL('../../adapters-postgres/package.json', import.meta.url);"],
  ['own-files-only', sqlite, "new URL('x/../../../adapters-postgres/package.json', import.meta.url);"],
  ['own-files-only', sqlite, `export const u = (x: string) => new URL(\`../../domain/$\{x}\`, import.meta.url);`],
  ['own-files-only', sqlite, "readFileSync(join(import.meta.dirname, '../../adapters-postgres/src/schema.ts'));"],
  ['own-files-only', sqlite, "readFileSync(resolve(import.meta.dirname, '..', '..', 'domain', name));"],
  ['own-files-only', sqlite, `path.join(import.meta.dirname, \`../../domain/$\{name}\`);`],
  ['own-files-only', sqlite, "join(__dirname, '../../domain');"],
  ['own-files-only', sqlite, "join(dirname(fileURLToPath(import.meta.url)), '../../domain');"],
  ['own-files-only', sqlite, "join(path.dirname(import.meta.filename), '../../domain');"],
  ['own-files-only', sqlite, `export const u = \`$\{import.meta.dirname}/../../domain/package.json\`;`],
  ['own-files-only', sqlite, "export const u = import.meta.dirname + '/../../domain/package.json';"],
  ['own-files-only', sqlite, "join(import.meta.filename, '../../../domain');"],
  ['own-files-only', sqlite, "join(fileURLToPath(import.meta.url), '..', '..', '..', 'domain');"],
  ['own-files-only', sqlite, "join(import.meta.dirname, '../../domain/' + name + '.ts');"],
  ['own-files-only', sqlite, "export const root = join(import.meta.dirname, '../../..');"],
  ['own-files-only', sqlite, "join(import.meta.dirname, '../node_modules/kysely/dist/index.js');"],
  ['own-files-only', sqlite, "join(import.meta.dirname, '../../../../elsewhere');"],
  ['own-files-only', domain, "export const root = new URL('../../..', import.meta.url);"],
  ['own-files-only', 'packages/adapters-sqlite/test', "join(import.meta.dirname, '../../adapters-postgres/src');"],
  ['own-files-only', 'packages/adapters-sqlite/test', "join(import.meta.dirname, '../../../../elsewhere');"],
  ['own-files-only', 'packages/testing-postgres/src', "join(import.meta.dirname, '../../adapters-postgres/src');"],
  ['own-files-only', 'apps/api/src', "join(import.meta.dirname, '../../../deploy/grafana');"],
  ['own-files-only', 'apps/api/test', "join(import.meta.dirname, '../../../packages/domain/src');"],
  ['own-files-only', 'bench/src', "join(import.meta.dirname, '../../deploy/grafana');"],
  ['own-files-only', 'tools/upkeep/src', "join(import.meta.dirname, '../../../packages/domain/src');"],
  ['source-knows-no-tests', sqlite, "join(import.meta.dirname, '../test/processes');"],

  ['domain-assumes-nothing', domain, 'declare const process: { readonly env: object };'],
  ['domain-assumes-nothing', domain, 'export declare let Buffer: unknown;'],
  ['domain-assumes-nothing', domain, 'declare function fetch(url: string): Promise<unknown>;'],
  ['domain-assumes-nothing', domain, 'declare class Worker {}'],
  ['domain-assumes-nothing', domain, 'declare enum Signal { Kill }'],
  ['domain-assumes-nothing', domain, 'declare namespace NodeJS {}'],
  ['domain-assumes-nothing', domain, "declare module 'pg' {}"],
  ['domain-assumes-nothing', domain, 'declare global { interface Process {} }'],
  ['domain-assumes-nothing', domain, 'export const all: object = globalThis;'],
  ['domain-assumes-nothing', domain, "export const env: unknown = Function('return process.env')();"],
  ['domain-assumes-nothing', domain, "export const env: unknown = new Function('return process.env')();"],
  ['domain-assumes-nothing', domain, "export const env: unknown = eval('process.env');"],
  ['domain-assumes-nothing', domain, "export const env: unknown = (0, eval)('process.env');"],
  ['domain-assumes-nothing', domain, "export const env: unknown = (() => 0).constructor('return process.env')();"],
  ['domain-assumes-nothing', domain, "export const env: unknown = parse['constructor']('return process.env')();"],
  ['domain-assumes-nothing', domain, 'const { constructor: make } = parse;'],
  ['domain-assumes-nothing', domain, "const { 'constructor': make } = parse;"],
  ['domain-assumes-nothing', domain, '// @ts-ignore: it is there'],
  ['domain-assumes-nothing', domain, '// @ts-expect-error'],
  ['domain-assumes-nothing', domain, '/* @ts-nocheck */'],
  ['domain-assumes-nothing', `${domain}/contract`, 'declare const performance: { now(): number };'],

  ['own-source-by-relative-path', sqlite, "import { openSqlite } from '@plant-store/adapters-sqlite';"],
  ['source-knows-no-tests', sqlite, "import { start } from '../test/processes/start.ts';"],
  ['source-knows-no-tests', http, "import config from '../vitest.config.ts';"],
  ['no-cycles', sqlite, "import './planted.ts';"],
];

test.each(planted)('%s: in %s, %s', (rule, folder, line) => {
  const path = `${folder}/planted.ts`;
  const violations = checkBoundaries(withModules({ path, text: `// Planted.\n\n${line}\n` }));
  expect(violations).toEqual([{ rule, path, line: 3, what: expect.any(String) }]);
});

test.each(['js', 'mjs', 'cjs', 'jsx', 'tsx', 'mts', 'cts', 'd.ts', 'd.mts', 'd.json.ts'])(
  'the compiler checks all that the domain is made of: no planted.%s',
  (extension) => {
    const path = `${domain}/planted.${extension}`;
    const text = extension.startsWith('d.') ? 'export {};' : 'const pid = () => process.pid;';
    const what = 'is no TypeScript that the compiler checks';
    expect(checkBoundaries(withModules({ path, text }))).toEqual([
      { rule: 'domain-assumes-nothing', path, line: 1, what },
    ]);
  },
);

test('a circle over two files is reported with its way, types included', () => {
  const text = (other: string) => `import type { A } from './planted-${other}.ts';\n`;
  const a = { path: `${sqlite}/planted-a.ts`, text: text('b') };
  const b = { path: `${sqlite}/planted-b.ts`, text: text('a') };
  expect(checkBoundaries(withModules(a, b))).toEqual([
    { rule: 'no-cycles', path: b.path, line: 1, what: `closes a circle: ${[a.path, b.path, a.path].join(' → ')}` },
  ]);
});

test('every rule about modules has something planted that breaks it', () => {
  const others: readonly string[] = ['every-package-has-its-place', 'a-name-means-one-package', 'no-borrowed-names'];
  const names = Object.keys(rules).filter((rule) => !others.includes(rule));
  expect([...new Set(planted.map(([rule]) => rule))].toSorted()).toEqual(names.toSorted());
});

test.each([
  ['packages/adapters-sqlite/test', "import { createPlant } from '@plant-store/domain';"],
  ['packages/adapters-sqlite/test', "vi.mock('../src/lock.ts'); vi.mock('node:fs'); vi.mock('@plant-store/domain');"],
  ['packages/adapters-sqlite/test', "vi.mock(import('../src/lock.ts')); const lines = vi.mocked(write).mock.calls;"],
  ['packages/adapters-sqlite/test', "import { openSqlite } from '@plant-store/adapters-sqlite';"],
  ['packages/adapters-sqlite/test', "import { lock } from '../src/lock.ts';"],
  ['packages/adapters-sqlite/src/under-test', "import { startAdder } from '@plant-store/testing-stores';"],
  ['packages/adapters-sqlite/test', "import { start } from '../src/under-test/index.ts';"],
  ['packages/adapters-http/test', "import '@plant-store/adapters-memory';"],
  [sqlite, "export const url = new URL('.', import.meta.url), own = new URL('..', import.meta.url);"],
  [sqlite, "export const page = (base: string) => new URL('../../adapters-postgres/package.json', base);"],
  [sqlite, "import { readFileSync } from 'node:fs';"],
  [sqlite, "import { DatabaseSync } from 'node:sqlite';"],
  ['apps/api/test', "import { DatabaseSync } from 'node:sqlite';"],
  [http, "import { createServer } from 'node:http';"],
  [sqlite, '// import "pg"'],
  [sqlite, 'export const text = `import "pg"`;'],
  [sqlite, "export const readme = new URL('../README.md', import.meta.url);"],
  [sqlite, "export const page = join(import.meta.dirname, '../README.md'), here = join(import.meta.dirname, name);"],
  [sqlite, "export const own = join(import.meta.filename, '../../README.md');"],
  [sqlite, "export const programs = find(import.meta.dirname), text = 'a' + '../../domain';"],
  ['packages/adapters-sqlite/test', "export const root = join(import.meta.dirname, '../../..');"],
  ['packages/adapters-sqlite/test', "join(import.meta.dirname, '../../../docs/tour.md');"],
  ['packages/adapters-sqlite/test', "join(import.meta.dirname, '../node_modules/.bin/vitest');"],
  ['apps/api/test', "join(import.meta.dirname, '../../../deploy/grafana');"],
  ['bench/src', "join(import.meta.dirname, '../../apps/api/src/main.ts');"],
  [domain, 'export class A { declare readonly id: bigint; }'],
  [domain, 'export class A { constructor(readonly id: bigint) {} }'],
  [domain, "export const names = ['constructor', 'eval'];"],
  [domain, 'export function f(a: string): void; export function f(a: unknown): void {}'],
  [sqlite, 'declare const brand: unique symbol; // @ts-expect-error'],
  ['packages/domain/test', '// @ts-expect-error: no plant\ndeclare const brand: unique symbol;'],
  ['apps/api/src', "import { openSqlite } from '@plant-store/adapters-sqlite';"],
])('nothing is said of what is allowed: in %s, %s', (folder, line) => {
  expect(checkBoundaries(withModules({ path: `${folder}/planted.ts`, text: line }))).toEqual([]);
});

test.each(['packages/domain/planted.config.mjs', 'packages/domain/test/planted.js', `${sqlite}/planted.js`])(
  'nothing is said of %s, on which the compiler of the domain does not rely',
  (path) => {
    expect(checkBoundaries(withModules({ path, text: 'export const pid = () => process.pid;' }))).toEqual([]);
  },
);

test('the settings of a package build on those of the workspace', () => {
  const text = "import { base } from '../../stryker.base.mjs';";
  expect(checkBoundaries(withModules({ path: 'packages/adapters-sqlite/planted.config.mjs', text }))).toEqual([]);
});
