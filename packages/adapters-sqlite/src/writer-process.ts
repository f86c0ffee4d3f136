// writer.ts starts this program. If a file system hangs, a system call blocks this process instead of the service.

import type { NewPlant } from '@plant-store/domain';
import { openDatabase } from './database.ts';
import { type SerializedError, serializeError, translateError } from './errors.ts';
import { migrate, migrationStatus } from './migrator.ts';
import { statementsOn } from './statements.ts';

/** A call to the writer. Replies may arrive out of order, because an insert may wait for a lock. */
export type Call = readonly [number: number, name: keyof Operations, ...given: unknown[]];

/** The outcome of the call with the same number. */
export type Reply = readonly [number: number, failure: SerializedError | undefined, result?: unknown];

export type Operations = typeof operations;

// New files are for their owner alone.
process.umask(0o077);

const [path = '', timeout] = process.argv.slice(2);
const timeoutMs = Number(timeout);
const open = async () => statementsOn(await openDatabase(path, timeoutMs));
let opened: ReturnType<typeof open> | undefined;

/** Opens the file on the first call, and again after a failure. */
function file(): ReturnType<typeof open> {
  opened ??= open().catch((error) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

const operations = {
  open: async () => void (await file()),
  async checkTable() {
    const { checkTable, warning } = await file();
    await checkTable(performance.now() + timeoutMs);
    return warning;
  },
  logBytes: async () => (await file()).logBytes(),
  async insert(plants: readonly NewPlant[], withinMs: number) {
    const deadline = performance.now() + withinMs;
    return (await file()).insert(plants, deadline);
  },
  probe: async () => (await file()).probe(performance.now() + timeoutMs),
  status: () => migrationStatus(path, timeoutMs),
  migrate: () => migrate(path, timeoutMs),
  close: async () => (await opened)?.close(),
};

process.on('message', async ([number, name, ...given]: Call) => {
  const reply: Reply = await (operations[name] as (...given: unknown[]) => Promise<unknown>)(...given).then(
    (result) => [number, undefined, result] as const,
    (error) => [number, serializeError(translateError(error, path))] as const,
  );
  // The parent may have exited, which `disconnect` handles.
  process.send?.(reply, undefined, {}, () => {});
});

// The parent has exited, or needs this process no longer.
process.once('disconnect', () => process.exit());

// Terminals and supervisors signal every process of a service. The parent shuts down gracefully, and this process with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
