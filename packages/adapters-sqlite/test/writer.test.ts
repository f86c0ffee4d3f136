import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migratedFile } from './migrated-file.ts';
import { start } from './processes/start.ts';
import { writersOf } from './processes/writers.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const TIMEOUT_MS = 300;

async function openStore(): Promise<{ readonly store: PlantStore; readonly writer: number }> {
  const store = await openSqlite({ path: await migratedFile(), timeoutMs: TIMEOUT_MS });
  onTestFinished(() => store.close());
  // On a busy machine the start of a process takes longer than the timeout.
  await vi.waitFor(() => store.check(), { timeout: 10_000 });
  return { store, writer: writerOf(process.pid) };
}

function writerOf(parent: number | undefined): number {
  const [writer] = writersOf(parent);
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

test('a writer that is killed: adds in flight throw, and another one takes its place', async () => {
  const { store, writer } = await openStore();
  process.kill(writer, 'SIGSTOP');
  const adding = expect(store.plants.add({ id: 1n, name: 'Fern' })).rejects.toThrow(/has exited/);
  // Until the add has left for the writer.
  await sleep(50);
  process.kill(writer, 'SIGKILL');
  await adding;
  // Another id each time: what an add did that failed is unknown.
  const ids = plants.map(({ id }) => id + 100n).values();
  const add = () => store.plants.add({ id: ids.next().value ?? 0n, name: 'Fern' });
  expect(await vi.waitFor(add, { timeout: 10_000, interval: 1_000 })).toEqual({ outcome: 'added' });
  expect(writersOf(process.pid)).not.toContain(writer);
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
