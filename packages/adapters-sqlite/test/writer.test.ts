import processes, { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { plants as table } from '@plant-store/sql-store';
import { beforeEach, expect, type Mock, onTestFinished, test, vi } from 'vitest';
import { statementsOf } from '../src/statements.ts';
import { failureOf } from '../src/writer/messages.ts';
import { startWriter } from '../src/writer/start-writer.ts';
import { migratedFile } from './migrated-file.ts';
import { start } from './processes/start.ts';
import { writersOf } from './processes/writers.ts';

/** Sees the calls, and can replace them. A worker may have loaded what forks before: vi.mock would be too late. */
function spyOnFork(): Mock<typeof processes.fork> {
  const spy = vi.spyOn(processes, 'fork');
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return spy;
}

const TIMEOUT_MS = 300;

async function openStore(
  onError?: (error: Error) => void,
  timeoutMs = TIMEOUT_MS,
): Promise<{ readonly store: PlantStore; readonly writer: number }> {
  const store = await openSqlite({ path: await migratedFile(), timeoutMs, ...(onError && { onError }) });
  onTestFinished(() => store.close());
  // On a busy machine the start of a process takes longer than the timeout.
  await vi.waitFor(() => store.check(), { timeout: 10_000 });
  return { store, writer: writerOf(process.pid) };
}

// Those of earlier tests have ended: of two none can be told to be the newer one, as numbers of processes begin anew.
beforeEach(() => vi.waitFor(() => expect(writersOf(process.pid)).toEqual([]), { timeout: 10_000 }));

function writerOf(parent: number | undefined): number {
  const writer = writersOf(parent).at(-1);
  return writer ?? expect.unreachable('it has no writer');
}

const plants = Array.from({ length: 4 }, (_, at) => ({ id: BigInt(at), name: 'Fern' }));

test('a writer that hangs: adds and checks throw in time, later adds at once, and it all works again by itself', async () => {
  const { store, writer } = await openStore();
  process.kill(writer, 'SIGSTOP');
  onTestFinished(() => void process.kill(writer, 'SIGCONT'));
  const timedOut = plants.map((plant) => expect(store.plants.add(plant)).rejects.toThrow(/did not respond within/));
  await Promise.all([...timedOut, expect(store.check()).rejects.toThrow(StoreUnavailable)]);

  await sleep(2 * TIMEOUT_MS);
  await expect(store.plants.add({ id: 9n, name: 'Moss' })).rejects.toThrow(/the file system does not respond/);
  await expect(store.check()).rejects.toThrow(StoreUnavailable);

  process.kill(writer, 'SIGCONT');
  await vi.waitFor(() => store.check(), { timeout: 10_000 });
  // Another id each time: on a busy machine an add may still be late, and what it did is unknown.
  let id = 100n;
  const add = () => store.plants.add({ id: id++, name: 'Moss' });
  expect(await vi.waitFor(add, { timeout: 10_000 })).toEqual({ outcome: 'added' });
  // What was refused at once was not stored.
  expect(await store.plants.add({ id: 9n, name: 'Moss' })).toEqual({ outcome: 'added' });
});

test('a writer that is killed: adds in flight throw with the signal, it is reported once, and another one takes its place', async () => {
  const onError = vi.fn<(error: Error) => void>();
  const { store, writer } = await openStore(onError);
  process.kill(writer, 'SIGSTOP');
  const adding = expect(store.plants.add({ id: 1n, name: 'Fern' })).rejects.toThrow(/has exited \(SIGKILL\)/);
  // Until the add has left for the writer.
  await sleep(50);
  process.kill(writer, 'SIGKILL');
  await adding;
  // Another id each time: what an add did that failed is unknown.
  const ids = plants.map(({ id }) => id + 100n).values();
  const add = () => store.plants.add({ id: ids.next().value ?? 0n, name: 'Fern' });
  expect(await vi.waitFor(add, { timeout: 10_000, interval: 1_000 })).toEqual({ outcome: 'added' });
  expect(writersOf(process.pid)).not.toContain(writer);
  const unavailable = new StoreUnavailable(
    'the process that writes to the file has exited (SIGKILL); another one starts: if this recurs, see whether the system ran out of memory (kernel log)',
  );
  expect(onError.mock.calls).toEqual([[unavailable]]);
  await store.close();
  expect(onError).toHaveBeenCalledTimes(1);
});

test('a writer that cannot be started is reported, and opening throws StoreUnavailable', async () => {
  const path = await migratedFile();
  const cause = Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
  spyOnFork().mockImplementationOnce(() => {
    throw cause;
  });
  const onError = vi.fn<(error: Error) => void>();
  const unavailable = new StoreUnavailable(
    'cannot start the process that writes to the file: spawn ENOMEM; free memory, or raise the limits on processes and open files',
    { cause },
  );
  await expect(openSqlite({ path, onError })).rejects.toThrow(unavailable);
  expect(onError.mock.calls).toEqual([[unavailable]]);
});

/** What `fork` returns where `spawn` found no free file descriptor: without a channel, and the error comes afterwards. */
function notSpawned(): ChildProcess {
  const child = new ChildProcess();
  process.nextTick(() => child.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })));
  return child;
}

test('a writer for which no file descriptor is free says so', async () => {
  const path = await migratedFile();
  spyOnFork().mockImplementationOnce(notSpawned);
  await expect(openSqlite({ path })).rejects.toThrow(/cannot start .*: spawn EMFILE/);
});

test('a writer that exits by itself: its exit code is said', async () => {
  const path = await migratedFile();
  const fork = processes.fork;
  spyOnFork().mockImplementationOnce((_, ...rest) => fork(join(dirname(path), 'not-installed.js'), ...rest));
  await expect(openSqlite({ path })).rejects.toThrow(
    new StoreUnavailable('the process that writes to the file has exited (exit code 1); another one starts'),
  );
});

test('writers that cannot run are started at most once a second, and reported once until one has opened the file', async () => {
  const onError = vi.fn<(error: Error) => void>();
  const { store, writer } = await openStore(onError, 5_000);
  const startedAt: number[] = [];
  const fork = spyOnFork();
  const failing: typeof processes.fork = () => {
    startedAt.push(performance.now());
    throw new Error('spawn ENOMEM');
  };
  fork.mockImplementationOnce(failing).mockImplementationOnce(failing);
  process.kill(writer, 'SIGKILL');
  await vi.waitFor(() => store.check(), { timeout: 20_000, interval: 20 });
  expect(fork).toHaveBeenCalledTimes(3);
  const [first = 0, second = 0] = startedAt;
  expect(second - first).toBeGreaterThan(1_000);
  expect(onError).toHaveBeenCalledTimes(1);

  process.kill(writerOf(process.pid), 'SIGKILL');
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(2), { timeout: 10_000 });
});

/** A writer without a store, and its process. */
function startedWriter(onExit?: (error: Error) => void) {
  const fork = spyOnFork();
  const writer = startWriter(onExit);
  return { writer, child: fork.mock.results[0]?.value as ChildProcess };
}

test('a writer that is ended closes its file, exits in order, and is not reported', async () => {
  const path = await migratedFile();
  const onExit = vi.fn<(error: Error) => void>();
  const { writer, child } = startedWriter(onExit);
  await writer.call('open', { path, timeoutMs: 10_000 }, statementsOf(table));
  expect(await readdir(dirname(path))).toHaveLength(3);
  const exit = once(child, 'exit');
  await writer.end(10_000);
  expect(await readdir(dirname(path))).toEqual(['plants.sqlite']);
  expect(await exit).toEqual([0, null]);
  expect(onExit).not.toHaveBeenCalled();
});

test('a writer that is ended in a system call that hangs: SIGKILL does not help at once, and nobody waits for it', async () => {
  const path = await migratedFile();
  const onExit = vi.fn<(error: Error) => void>();
  const { writer, child } = startedWriter(onExit);
  const { pid = 0 } = child;
  const exit = once(child, 'exit');
  const kill = vi.spyOn(child, 'kill').mockReturnValue(true);
  onTestFinished(() => {
    kill.mockRestore();
    child.kill('SIGKILL');
  });
  process.kill(pid, 'SIGSTOP');
  const calling = expect(writer.call('open', { path, timeoutMs: 10_000 }, statementsOf(table))).rejects.toThrow(
    new StoreUnavailable('the process that writes to the file has exited; another one starts'),
  );
  await writer.end(50);
  expect(kill.mock.calls).toEqual([['SIGKILL']]);
  await calling;
  process.kill(pid, 'SIGCONT');
  await exit;
  expect(onExit).not.toHaveBeenCalled();
});

test('a writer that is killed is not busy, and what it has answered before may come afterwards', async () => {
  const { writer, child } = startedWriter();
  const calling = expect(writer.call('close')).rejects.toThrow(/SIGKILL/);
  process.kill(child.pid ?? 0, 'SIGKILL');
  await calling;
  expect(writer.busySince).toBeUndefined();
  expect(child.emit('message', { number: 1, result: undefined })).toBe(true);
  expect(child.emit('message', { number: 1, failure: failureOf(new Error('late')) })).toBe(true);
});

test('migrating a file whose file system hangs: it is said after a second, and StoreUnavailable in the end', async () => {
  const path = await migratedFile();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const onWarning = vi.fn<(message: string) => void>();
  const migrating = migrateSqlite({ path, timeoutMs: 10, onWarning });
  const failed = expect(migrating).rejects.toThrow(
    new StoreUnavailable(
      `${path}: no response within 10020 ms: the file system hangs; check the disk, then start again`,
    ),
  );
  process.kill(writerOf(process.pid), 'SIGSTOP');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onWarning.mock.calls).toEqual([
    [
      `${path}: no response for 1000 ms, waiting up to 10020 ms: check whether its file system hangs, or another process keeps the file locked`,
    ],
  ]);
  await vi.advanceTimersByTimeAsync(9_020);
  await failed;
  expect(onWarning).toHaveBeenCalledTimes(1);
});

test('a writer goes when the process is killed that started it', async () => {
  const child = await start('open.ts', await migratedFile());
  const exit = once(child, 'exit');
  const writer = writerOf(child.pid);
  child.kill('SIGKILL');
  await exit;
  await vi.waitFor(() => expect(() => process.kill(writer, 0)).toThrow('ESRCH'), { timeout: 10_000 });
});

test('a writer keeps its process alive until it has answered, and no longer', async () => {
  const child = await start('open.ts', await migratedFile());
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end();
  await vi.waitFor(() => expect(child.exitCode).toBe(0), 10_000);
});
