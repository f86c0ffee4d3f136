import { join } from 'node:path';
import { missingMysql } from '../stores/mysql-server.ts';
import type { Contestant } from './contestant.ts';
import { httpContestant } from './http-contestant.ts';
import { pgbench } from './pgbench.ts';

const programs = join(import.meta.dirname, 'programs');

const missingMariaDb = () => missingMysql(process.env);

/** The service of a checkout of this repository, on each store; their names begin with the prefix. */
function services(checkout: string, prefix: string, about: string): readonly Contestant[] {
  const environment = { ADMIN_PORT: 'off' };
  const service = { program: join(checkout, 'apps/api/src/main.ts'), args: ['serve'] };
  return [
    httpContestant({
      name: `${prefix}-postgres`,
      description: `${about} on PostgreSQL, with logging`,
      engine: 'postgres',
      ...service,
      environment,
    }),
    httpContestant({
      name: `${prefix}-2-workers`,
      description: `${about} on PostgreSQL with WORKERS=2, with logging`,
      engine: 'postgres',
      ...service,
      environment: { ...environment, WORKERS: '2' },
      hasWorkers: true,
    }),
    httpContestant({
      name: `${prefix}-sqlite`,
      description: `${about} on SQLite, with logging`,
      engine: 'sqlite',
      ...service,
      environment,
      // The process that uses the file.
      hasWorkers: true,
    }),
    httpContestant({
      name: `${prefix}-mysql`,
      description: `${about} on MariaDB, with logging`,
      engine: 'mysql',
      ...service,
      environment,
      missing: missingMariaDb,
    }),
    httpContestant({
      name: `${prefix}-memory`,
      description: `${about} on memory, with logging; no table whose rows could be counted`,
      engine: undefined,
      ...service,
      environment: { ...environment, DATABASE_URL: 'memory:' },
    }),
  ];
}

/** The chosen contestants and, beside each service among them, that of another checkout, such as an earlier commit's. */
export function withServiceOf(checkout: string, chosen: readonly Contestant[]): readonly Contestant[] {
  const others = services(checkout, 'other', 'the service of the other checkout');
  return chosen.flatMap((contestant) => {
    const other = others.find(({ name }) => name === contestant.name.replace(/^service-/, 'other-'));
    return other ? [contestant, other] : [contestant];
  });
}

/** All contestants of this checkout, in the order of the report. */
export const contestants: readonly Contestant[] = [
  ...services(join(import.meta.dirname, '../../..'), 'service', 'the service'),
  httpContestant({
    name: 'fastify-no-store',
    description: "the service's HTTP side with a use case that returns immediately, with logging",
    engine: undefined,
    program: join(programs, 'fastify-no-store.ts'),
  }),
  httpContestant({
    name: 'node-http-echo',
    description: 'bare node:http, parses the body and returns it: no framework, no checks, no token, no log, no store',
    engine: undefined,
    program: join(programs, 'node-http-echo.ts'),
  }),
  httpContestant({
    name: 'fastify-echo',
    description: 'plain Fastify, validates the body and returns it: no token, no log, no store',
    engine: undefined,
    program: join(programs, 'fastify-echo.ts'),
  }),
  httpContestant({
    name: 'minimal-batcher',
    description:
      'Fastify + zod + pg, waiting plants in one INSERT; no deadline, bound, retry, breaker, token, log or exact id, which is in its favour',
    engine: 'postgres',
    program: join(programs, 'minimal-batcher.ts'),
  }),
  httpContestant({
    name: 'fastify-kysely',
    description:
      'plain Fastify + Kysely + pg, pool of 10, one INSERT per request; no token, and no log, which is in its favour',
    engine: 'postgres',
    program: join(programs, 'fastify-kysely.ts'),
  }),
  httpContestant({
    name: 'fastify-sqlite',
    description:
      'plain Fastify + node:sqlite, WAL, synchronous=FULL, one INSERT per request; no token, and no log, which is in its favour',
    engine: 'sqlite',
    program: join(programs, 'fastify-sqlite.ts'),
  }),
  httpContestant({
    name: 'fastify-mysql',
    description:
      'plain Fastify + Kysely + mysql2, pool of 10, one INSERT per request; no token, and no log, which is in its favour',
    engine: 'mysql',
    program: join(programs, 'fastify-mysql.ts'),
    missing: missingMariaDb,
  }),
  pgbench,
];
