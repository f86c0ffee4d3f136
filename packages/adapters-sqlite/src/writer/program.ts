// A process of its own, started by start-writer.ts: what blocks in a system call, for as long as a file system hangs, is
// this process and no other.

import { type OpenOptions, openDatabase } from '../driver/database.ts';
import { type Engine, engineOn } from './engine.ts';
import { type Call, failureOf, type Reply } from './messages.ts';

let engine: Engine | undefined;

/** What a writer can be asked to do. */
const operations = {
  async open(options: OpenOptions): Promise<void> {
    engine = engineOn(await openDatabase(options));
  },
  insert: (...parameters: Parameters<Engine['insert']>) => opened().insert(...parameters),
  probe: (...parameters: Parameters<Engine['probe']>) => opened().probe(...parameters),
  // Loaded when they are called: a store needs no Kysely.
  migrate: async (options: OpenOptions) => (await import('./migrate.ts')).migrate(options),
  migrationStatus: async (options: OpenOptions) => (await import('./migrate.ts')).migrationStatus(options),
  async close(): Promise<void> {
    engine?.close();
    engine = undefined;
  },
};

export type Operations = typeof operations;

function opened(): Engine {
  if (!engine) throw new Error('the file is not open');
  return engine;
}

process.on('message', async ({ number, operation, parameters }: Call) => {
  const perform = operations[operation as keyof Operations] as (...parameters: unknown[]) => unknown;
  let reply: Reply;
  try {
    reply = { number, result: await perform(...parameters) };
  } catch (error) {
    reply = { number, failure: failureOf(error) };
  }
  // The other process may have exited meanwhile, which is handled below.
  process.send?.(reply, undefined, {}, () => {});
});

// The process that started this one has exited, or has no more to do for it.
process.once('disconnect', () => process.exit());

// A terminal and a supervisor send these to every process of a service. That one shuts down in order, and this one with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
