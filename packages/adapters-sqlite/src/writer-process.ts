// writer.ts starts this program. If a file system hangs, a system call blocks this process instead of the service.

import { openDatabase } from './database.ts';
import { type SerializedError, serializeError, translateError } from './errors.ts';
import { migrate, migrationStatus } from './migrator.ts';
import { statementsOn } from './statements.ts';

/** A call to the writer. Replies may arrive out of order, because an insert may wait for a lock. */
export type Call = readonly [number: number, name: keyof Operations, ...given: unknown[]];

/** The outcome of the call with the same number. */
export type Reply = readonly [number: number, failure: SerializedError | undefined, result?: unknown];

/** What the process can do: the statements on its file, and what opens the file itself. */
export type Operations = Omit<Statements, keyof typeof operations> & typeof operations;

type Statements = ReturnType<typeof statementsOn>;

// New files are for their owner alone.
process.umask(0o077);

const [path = '', timeout] = process.argv.slice(2);
const timeoutMs = Number(timeout);
const open = async () => statementsOn(await openDatabase(path, timeoutMs), timeoutMs);
let opened: Promise<Statements> | undefined;

/** Opens the file on the first call, and again after a failure. */
function file(): Promise<Statements> {
  opened ??= open().catch((error) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

const operations = {
  open: async () => void (await file()),
  status: () => migrationStatus(path, timeoutMs),
  migrate: () => migrate(path, timeoutMs),
  close: async () => (await opened)?.close(),
};

async function call(name: keyof Operations, given: unknown[]): Promise<unknown> {
  const callable: object = name in operations ? operations : await file();
  return (callable as { readonly [Name in typeof name]: (...given: unknown[]) => unknown })[name](...given);
}

process.on('message', async ([number, name, ...given]: Call) => {
  const reply: Reply = await call(name, given).then(
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
