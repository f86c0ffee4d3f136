import { join } from 'node:path';

/** A program that is measured: a row of the table below. It gets its own table in `DATABASE_URL`, and serves on `PORT`. */
export interface Contestant {
  readonly name: string;
  /** What it is, and what might make the comparison unfair. */
  readonly description: string;
  /** Where its plants are; undefined if no table has them. */
  readonly engine?: Engine | undefined;
  readonly program: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Other processes do its work, and their usage is unknown. */
  readonly hasWorkers?: boolean;
}

export type Engine = 'postgres' | 'mysql' | 'sqlite';

/** The service of a checkout of this repository, on each store; their names begin with the prefix. */
function services(checkout: string, prefix: string, about: string): readonly Contestant[] {
  const rows: readonly (Omit<Contestant, 'description' | 'program'> & { readonly on: string })[] = [
    { name: 'postgres', on: 'PostgreSQL', engine: 'postgres' },
    { name: 'mysql', on: 'MariaDB', engine: 'mysql' },
    // Its writer is a process of its own.
    { name: 'sqlite', on: 'SQLite', engine: 'sqlite', hasWorkers: true },
    { name: 'memory', on: 'memory, without rows that could be counted', environment: { DATABASE_URL: 'memory:' } },
  ];
  return rows.map(({ name, on, environment, ...row }) => ({
    ...row,
    name: `${prefix}-${name}`,
    description: `${about} on ${on}; with its log and metrics`,
    program: join(checkout, 'apps/api/src/main.ts'),
    args: ['serve'],
    environment: { ADMIN_PORT: 'off', ...environment },
  }));
}

/** The chosen contestants and, beside each service among them, that of another checkout, such as an earlier commit's. */
export function withServiceOf(checkout: string, chosen: readonly Contestant[]): readonly Contestant[] {
  const others = services(checkout, 'other', 'the service of the other checkout');
  return chosen.flatMap((contestant) => {
    const other = others.find(({ name }) => name === contestant.name.replace(/^service-/, 'other-'));
    return other ? [contestant, other] : [contestant];
  });
}

/** Plain Fastify on a driver: a row each. The last column is its environment. */
type Rival = readonly [name: string, engine: Engine | undefined, description: string, Readonly<Record<string, string>>];

const none = 'no log, no metrics, no token';
const equipped = "the same with Fastify's logger and a prom-client histogram, as a team would run it; no token";

const rivals: readonly Rival[] = [
  [
    'minimal-batcher',
    'postgres',
    `Fastify + pg, what waits in one INSERT, no promise kept; ${none}`,
    { DRIVER: 'pg-batched' },
  ],
  ['bare', 'postgres', `Fastify + Kysely + pg, pool of 20, one INSERT a request; ${none}`, { DRIVER: 'pg' }],
  ['equipped', 'postgres', equipped, { DRIVER: 'pg', EQUIPPED: '1' }],
  ['pool-of-64', 'postgres', 'bare with a connection for each of 64 requests', { DRIVER: 'pg', POOL_SIZE: '64' }],
  [
    'pipelining',
    'postgres',
    "bare with 20 of pg's clients that pipeline, prepared, no Kysely",
    { DRIVER: 'pg-pipeline' },
  ],
  ['postgres.js', 'postgres', 'bare with postgres.js, 20 connections, no Kysely', { DRIVER: 'postgres.js' }],
  ['bare-mysql', 'mysql', `Fastify + Kysely + mysql2, pool of 20, one INSERT a request; ${none}`, { DRIVER: 'mysql2' }],
  ['equipped-mysql', 'mysql', equipped, { DRIVER: 'mysql2', EQUIPPED: '1' }],
  [
    'bare-sqlite',
    'sqlite',
    `Fastify + node:sqlite, as durable, one INSERT a request; ${none}`,
    { DRIVER: 'node:sqlite' },
  ],
  ['equipped-sqlite', 'sqlite', equipped, { DRIVER: 'node:sqlite', EQUIPPED: '1' }],
  ['echo', undefined, `Fastify that returns the plant, no store; ${none}`, { DRIVER: 'none' }],
];

/** All contestants of this checkout, in the order of the report. */
export const contestants: readonly Contestant[] = [
  ...services(join(import.meta.dirname, '../../..'), 'service', 'the service'),
  ...rivals.map(([name, engine, description, environment]) => {
    const program = join(import.meta.dirname, 'programs/plain-fastify.ts');
    return { name, engine, description, program, environment };
  }),
];
