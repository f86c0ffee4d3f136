// A process of its own, started by start-writer.ts: what blocks in a system call, for as long as a file system hangs, is
// this process and no other.

import { type Call, failureOf, type Reply } from './messages.ts';
import { type Operations, writerOperations } from './operations.ts';

const operations = writerOperations();

process.on('message', async ({ number, operation, parameters }: Call) => {
  let reply: Reply;
  try {
    const perform = operations[operation as keyof Operations] as (...parameters: unknown[]) => unknown;
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
