import processes, { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migratedFile } from './migrated-file.ts';
import { start } from './processes/start.ts';
import { writersOf } from './processes/writers.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Replaces the next call. A worker may have loaded what forks before: vi.mock would be too late. */
function forkOnce(implementation: typeof processes.fork): void {
  const spy = vi.spyOn(processes, 'fork').mockImplementationOnce(implementation);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

const TIMEOUT_MS = 300;

async function openStore(
  onError?: (error: Error) => void,
): Promise<{ readonly store: PlantStore; readonly writer: number }> {
  const store = await openSqlite({ path: await migratedFile(), timeoutMs: TIMEOUT_MS, ...(onError && { onError }) });
  onTestFinished(() => store.close());
  // On a busy machine the start of a process takes longer than the timeout.
  await vi.waitFor(() => store.check(), { timeout: 10_000 });
  return { store, writer: writerOf(process.pid) };
}

function writerOf(parent: number | undefined): number {
  // The newest: one of an earlier test may still be ending.
  const writer = writersOf(parent).at(-1);
  return writer ?? expect.unreachable('it has no writer');
}

const plants = Array.from({ length: 4 }, (_, at) => ({ id: BigInt(at), name: 'Fern' }));

test('a writer that hangs: adds and checks throw in time, later ones at once, and it all works again by itself', async () => {
  const { store, writer } = await openStore();
  process.kill(writer, 'SIGSTOP');
  onTestFinished(() => void process.kill(writer, 'SIGCONT'));
  const timedOut = plants.map((plant) => expect(store.plants.add(plant)).rejects.toThrow(/did not respond within/));
  await Promise.all([...timedOut, expect(store.check()).rejects.toThrow(StoreUnavailable)]);

  await sleep(2 * TIMEOUT_MS);
  const began = performance.now();
  await expect(store.plants.add({ id: 9n, name: 'Moss' })).rejects.toThrow(/the file system does not respond/);
  await expect(store.check()).rejects.toThrow(StoreUnavailable);
  expect(performance.now() - began).toBeLessThan(TIMEOUT_MS);

  process.kill(writer, 'SIGCONT');
  await vi.waitFor(() => store.check(), { timeout: 10_000 });
  expect(await store.plants.add({ id: 9n, name: 'Moss' })).toEqual({ outcome: 'added' });
});

test('a writer that hangs does not hold up close, and is gone afterwards', async () => {
  const { store, writer } = await openStore();
  process.kill(writer, 'SIGSTOP');
  const adding = expect(store.plants.add({ id: 1n, name: 'Fern' })).rejects.toThrow(StoreUnavailable);
  await store.close();
  await adding;
  await vi.waitFor(() => expect(writersOf(process.pid)).toEqual([]), { timeout: 10_000 });
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
  forkOnce(() => {
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

test('a writer for which no file descriptor is free says so', async () => {
  const path = await migratedFile();
  forkOnce(notSpawned);
  await expect(openSqlite({ path })).rejects.toThrow(/cannot start .*: spawn EMFILE/);
});

/** What `fork` returns where `spawn` found no free file descriptor: without a channel, and the error comes afterwards. */
function notSpawned(): ChildProcess {
  const child = new ChildProcess();
  process.nextTick(() => child.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })));
  return child;
}

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
  const { child, exit } = await start('add-plants.ts', await migratedFile());
  const writer = writerOf(child.pid);
  child.kill('SIGKILL');
  await exit;
  await vi.waitFor(() => expect(() => process.kill(writer, 0)).toThrow('ESRCH'), { timeout: 10_000 });
});

test('a writer does not keep its process alive', async () => {
  const { child } = await start('open-only.ts', await migratedFile());
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a new file, its log and its index are for their owner alone, and so is a directory that is made', async () => {
  const path = join(await temporaryDirectory(), 'data', 'plants.sqlite');
  await migrateSqlite({ path });
  const store = await openSqlite({ path });
  onTestFinished(() => store.close());
  await store.plants.add({ id: 1n, name: 'Fern' });
  expect(await modeOf(dirname(path))).toBe('700');
  for (const suffix of ['', '-wal', '-shm']) expect(await modeOf(`${path}${suffix}`)).toBe('600');
});

async function modeOf(path: string): Promise<string> {
  const { mode } = await stat(path);
  return (mode & 0o777).toString(8);
}
