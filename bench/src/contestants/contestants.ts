import { join } from 'node:path';
import type { Contestant } from './contestant.ts';
import { httpContestant } from './http-contestant.ts';
import { pgbench } from './pgbench.ts';

const programs = join(import.meta.dirname, 'programs');
const service = {
  program: join(import.meta.dirname, '../../../apps/api/src/main.ts'),
  args: ['serve'],
  environment: { ADMIN_PORT: 'off' },
};

/** All contestants, in the order of the report. */
export const contestants: readonly Contestant[] = [
  httpContestant({
    name: 'service-postgres',
    description: 'the service on PostgreSQL, with logging',
    engine: 'postgres',
    ...service,
  }),
  httpContestant({
    name: 'service-2-workers',
    description: 'the service on PostgreSQL with WORKERS=2, with logging',
    engine: 'postgres',
    ...service,
    environment: { ...service.environment, WORKERS: '2' },
    hasWorkers: true,
  }),
  httpContestant({
    name: 'service-sqlite',
    description: 'the service on SQLite, with logging',
    engine: 'sqlite',
    ...service,
  }),
  httpContestant({
    name: 'service-memory',
    description: 'the service on memory, with logging; no table whose rows could be counted',
    engine: undefined,
    ...service,
    environment: { ...service.environment, DATABASE_URL: 'memory:' },
  }),
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
  pgbench,
];
