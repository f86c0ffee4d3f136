import { join } from 'node:path';

/** A program that is measured. It gets its own table in `DATABASE_URL`, and serves on `PORT`. */
export interface Contestant {
  readonly name: string;
  readonly about: string;
  /** Where its plants are; undefined if nowhere. */
  readonly store: 'postgres' | 'sqlite' | undefined;
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
}

/** The table `plants` of one contestant, empty at first. The service's migrations make it, whoever uses it. */
export interface Table {
  /** Its `DATABASE_URL`. */
  readonly url: string;
  /** The main process of its server, if it has one. */
  readonly serverPid?: number;
  count(): Promise<number>;
}

const echo = [join(import.meta.dirname, 'programs/echo.ts')] as const;
const plain = [join(import.meta.dirname, 'programs/fastify-kysely.ts')] as const;
const equipped = [...plain, 'equipped'] as const;
const service = [join(import.meta.dirname, '../../../apps/api/src/main.ts'), 'serve'] as const;

/** In the order of the report. */
export const contestants: readonly Contestant[] = [
  { name: 'echo', store: undefined, command: echo, about: 'the ceiling: bare node:http that returns the plant' },
  { name: 'plain', store: 'postgres', command: plain, about: 'Fastify + Kysely, one INSERT a request' },
  { name: 'equipped', store: 'postgres', command: equipped, about: 'plain with a log, ids, metrics and a token' },
  { name: 'plant-store', store: 'postgres', command: service, about: 'the service with its log and metrics' },
  { name: 'plain-sqlite', store: 'sqlite', command: plain, about: 'Fastify + node:sqlite, one INSERT a request' },
  { name: 'plant-store-sqlite', store: 'sqlite', command: service, about: 'the service on SQLite' },
];
