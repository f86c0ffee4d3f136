import processes, { ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { StoreUnavailable } from '@plant-store/domain';
import { beforeEach, expect, type Mock, onTestFinished, test, vi } from 'vitest';
import { completeOptions } from '../src/options.ts';
import { openWriter } from '../src/writer.ts';
import { migratedFile } from './temporary-files.ts';

const TIMEOUT_MS = 300;
const patient = { timeout: 20_000, interval: 20 };

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

async function openStore(timeoutMs = TIMEOUT_MS) {
  const onError = vi.fn<(error: Error) => void>();
  const store = await openSqlite({ path: await migratedFile(), timeoutMs, onError });
  onTestFinished(() => store.close());
  // On a busy machine the start of a process takes longer than the timeout.
  await vi.waitFor(() => store.check(), patient);
  let id = 0n;
  // Another id each time: what an add did that failed is unknown.
  const add = () => store.plants.add({ id: id++, name: 'Fern' });
  return { store, add, onError, writer: writerOf(process.pid) };
}

/** The writers that a process has started and that are still there. */
function writersOf(parent: number | undefined): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const own = lines.filter((line) => new RegExp(`^ *\\d+ +${parent} .*/writer-process\\.[jt]s`).test(line));
  return own.map((line) => Number.parseInt(line, 10));
}

function writerOf(parent: number | undefined): number {
  return writersOf(parent).at(-1) ?? expect.unreachable('it has no writer');
}

// Those of earlier tests have ended: of two none can be told to be the newer one, as numbers of processes begin anew.
beforeEach(() => vi.waitFor(() => expect(writersOf(process.pid)).toEqual([]), patient));

test('a writer that hangs: adds and checks throw in time, later adds at once, and it all works again by itself', async () => {
  const { store, writer, add } = await openStore();
  process.kill(writer, 'SIGSTOP');
  onTestFinished(() => void process.kill(writer, 'SIGCONT'));
  const late = [add(), store.check()].map((call) => expect(call).rejects.toThrow(/did not respond within/));
  await Promise.all(late);
  await sleep(2 * TIMEOUT_MS);
  const moss = { id: -1n, name: 'Moss' };
  await expect(store.plants.add(moss)).rejects.toThrow(/the file system does not respond/);

  process.kill(writer, 'SIGCONT');
  await vi.waitFor(() => store.check(), patient);
  // What was refused at once was not stored.
  expect(await vi.waitFor(() => store.plants.add(moss), patient)).toEqual({ outcome: 'added' });
});

test('a writer that is killed: adds in flight throw with the signal, it is reported once, and another one takes its place', async () => {
  const { store, writer, add, onError } = await openStore();
  process.kill(writer, 'SIGSTOP');
  const adding = expect(add()).rejects.toThrow(/has exited \(SIGKILL\); another one starts: .* out of memory/);
  // Until the add has left for the writer.
  await sleep(50);
  process.kill(writer, 'SIGKILL');
  await adding;
  expect(await vi.waitFor(add, patient)).toEqual({ outcome: 'added' });
  expect(writersOf(process.pid)).not.toContain(writer);
  await store.close();
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ message: expect.stringContaining('SIGKILL') })]]);
});

/** What `fork` throws where there is no memory. */
const throws = (): never => {
  throw new Error('spawn ENOMEM');
};

/** What `fork` returns where no file descriptor is free: without a channel, and the error comes afterwards. */
function notSpawned(): ChildProcess {
  const child = new ChildProcess();
  process.nextTick(() => child.emit('error', new Error('spawn EMFILE')));
  return child;
}

test.each([
  ['spawn ENOMEM', throws],
  ['spawn EMFILE', notSpawned],
])(
  'a writer that cannot run (%s) is reported once, not started again at once, and again once one has opened the file',
  async (reason, how) => {
    const { store, writer, onError } = await openStore(5_000);
    const fork = spyOnFork().mockImplementationOnce(how);
    process.kill(writer, 'SIGKILL');
    await vi.waitFor(() => expect(store.check()).rejects.toThrow(`${reason}; free memory, or raise`), patient);
    await Promise.allSettled(Array.from({ length: 9 }, () => store.check()));
    expect(fork).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => store.check(), patient);
    expect(onError).toHaveBeenCalledTimes(1);
    process.kill(writerOf(process.pid), 'SIGKILL');
    await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(2), patient);
  },
);

/** A writer without a store, that has opened a file, and its process. */
async function openedWriter(timeoutMs: number) {
  const fork = spyOnFork();
  const onError = vi.fn<(error: Error) => void>();
  const path = await migratedFile();
  const writer = openWriter(completeOptions({ path, timeoutMs, onError }));
  await vi.waitFor(() => writer.call('open'), patient);
  const child = fork.mock.results.at(-1)?.value as ChildProcess;
  return { path, writer, child, exit: once(child, 'exit'), onError };
}

test('a writer that waits for a lock answers others meanwhile; once ended, it has closed its file, in order and unreported', async () => {
  const { path, writer, exit, onError } = await openedWriter(20_000);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const inserting = writer.call('insert', [{ id: 1n, name: 'Fern' }], 20_000);
  expect(await writer.call('status')).not.toEqual([]);
  other.close();
  expect(await inserting).toEqual([{ done: { outcome: 'added' } }]);

  await writer.end();
  expect(await readdir(dirname(path))).toEqual(['plants.sqlite']);
  expect(await exit).toEqual([0, null]);
  expect(onError).not.toHaveBeenCalled();
  await expect(writer.call('open')).rejects.toThrow(StoreUnavailable);
});

test('a writer that is ended in a system call that hangs: SIGKILL does not help at once, and nobody waits for it', async () => {
  const { writer, child, exit, onError } = await openedWriter(TIMEOUT_MS);
  const kill = vi.spyOn(child, 'kill').mockReturnValue(true);
  process.kill(child.pid ?? 0, 'SIGSTOP');
  const calling = expect(writer.call('open')).rejects.toThrow(/the process that writes to the file has ended/);
  await writer.end();
  expect(kill.mock.calls).toEqual([['SIGKILL']]);
  await calling;
  process.kill(child.pid ?? 0, 'SIGCONT');
  await exit;
  expect(onError).not.toHaveBeenCalled();
});

test('migrating a file whose file system hangs: it is said after a second, and StoreUnavailable in the end', async () => {
  const path = await migratedFile();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const onWarning = vi.fn<(message: string) => void>();
  const migrating = migrateSqlite({ path, timeoutMs: 10, onWarning });
  const hangs = `${path}: no response within 10020 ms: the file system hangs; check the disk, then start again`;
  const failed = expect(migrating).rejects.toThrow(new StoreUnavailable(hangs));
  process.kill(writerOf(process.pid), 'SIGSTOP');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onWarning.mock.calls).toEqual([[expect.stringMatching(/no response for 1000 ms; its file system may hang/)]]);
  await vi.advanceTimersByTimeAsync(9_020);
  await failed;
});

test('a writer goes when the process is killed that started it, and keeps it alive no longer than until it has answered', async () => {
  const children = [1, 2].map(async () => {
    const program = join(import.meta.dirname, 'processes/open.ts');
    const parameters = ['--conditions=development', program, await migratedFile()];
    const child = spawn(process.execPath, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  });
  const [killed, idle] = (await Promise.all(children)) as [ChildProcess, ChildProcess];
  const writer = writerOf(killed.pid);
  killed.kill('SIGKILL');
  await vi.waitFor(() => expect(() => process.kill(writer, 0)).toThrow('ESRCH'), patient);
  idle.stdin?.end();
  await vi.waitFor(() => expect(idle.exitCode).toBe(0), patient);
});
