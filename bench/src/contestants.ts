import { join } from 'node:path';

/** A program that is measured. It listens on `PORT`, and stores plants in a new database at `DATABASE_URL`, whose table it creates. */
export interface Contestant {
  readonly name: string;
  readonly about: string;
  /** The database of its plants; undefined if it stores none. */
  readonly store: 'postgres' | 'sqlite' | undefined;
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
}

/** The database of one contestant. */
export interface Database {
  /** The `DATABASE_URL` of the contestant. */
  readonly url: string;
  /** The main process of the database server, if there is a server. */
  readonly serverPid?: number;
  /** Counts the rows of its table `plants`. */
  count(): Promise<number>;
}

const echo = [join(import.meta.dirname, 'programs/echo.ts')] as const;
const plain = [join(import.meta.dirname, 'programs/fastify-kysely.ts')] as const;
const pipelined = [...plain, 'pipelined'] as const;
const equipped = [...plain, 'equipped'] as const;
const service = [join(import.meta.dirname, '../../apps/api/src/main.ts'), 'serve'] as const;

/** The contestants in the order of the report. */
export const contestants: readonly Contestant[] = [
  { name: 'echo', store: undefined, command: echo, about: 'the ceiling: bare node:http that returns the plant' },
  { name: 'plain', store: 'postgres', command: plain, about: 'Fastify + Kysely, one INSERT a request' },
  { name: 'pipelined', store: 'postgres', command: pipelined, about: 'plain with `pipeline: true` of pg' },
  { name: 'equipped', store: 'postgres', command: equipped, about: 'plain with a log, ids, metrics and a token' },
  { name: 'plant-store', store: 'postgres', command: service, about: 'the service with its log and metrics' },
  { name: 'plain-sqlite', store: 'sqlite', command: plain, about: 'Fastify + node:sqlite, one INSERT a request' },
  { name: 'plant-store-sqlite', store: 'sqlite', command: service, about: 'the service on SQLite' },
];
