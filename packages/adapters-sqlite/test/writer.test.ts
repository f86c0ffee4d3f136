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

/** Spies on `fork`. With vi.mock it would be too late, because the worker may have loaded the module before. */
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
  // On a busy machine starting a process takes longer than the timeout.
  await vi.waitFor(() => store.check(), patient);
  let id = 0n;
  // Uses a new id each time, because the outcome of a failed add is unknown.
  const add = () => store.plants.add({ id: id++, name: 'Fern' });
  return { store, add, onError, writer: writerOf(process.pid) };
}

/** Lists the running writers of a process. */
function writersOf(parent: number | undefined): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const own = lines.filter((line) => new RegExp(`^ *\\d+ +${parent} .*/writer-process\\.[jt]s`).test(line));
  return own.map((line) => Number.parseInt(line, 10));
}

function writerOf(parent: number | undefined): number {
  return writersOf(parent).at(-1) ?? expect.unreachable('it has no writer');
}

// Waits for the writers of earlier tests, because process ids do not show which of two is newer.
beforeEach(() => vi.waitFor(() => expect(writersOf(process.pid)).toEqual([]), patient));

test('if a writer hangs, adds and checks throw in time, later adds throw immediately, and the store recovers', async () => {
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
  // An add that was rejected immediately was not stored.
  expect(await vi.waitFor(() => store.plants.add(moss), patient)).toEqual({ outcome: 'added' });
});

test('if a writer is killed, adds in flight throw with the signal, it is reported once and restarted', async () => {
  const { store, writer, add, onError } = await openStore(20_000);
  process.kill(writer, 'SIGSTOP');
  const adding = expect(add()).rejects.toThrow(/has exited \(SIGKILL\) and is restarted: .* lack of memory/);
  // The add has been sent to the writer by then.
  await sleep(50);
  process.kill(writer, 'SIGKILL');
  await adding;
  expect(await vi.waitFor(add, patient)).toEqual({ outcome: 'added' });
  expect(writersOf(process.pid)).not.toContain(writer);
  await store.close();
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ message: expect.stringContaining('SIGKILL') })]]);
});

/** What `fork` does without memory. */
const throws = (): never => {
  throw new Error('spawn ENOMEM');
};

/** What `fork` returns without a free file descriptor: a child without a channel, which then emits the error. */
function notSpawned(): ChildProcess {
  const child = new ChildProcess();
  process.nextTick(() => child.emit('error', new Error('spawn EMFILE')));
  return child;
}

test.each([
  ['spawn ENOMEM', throws],
  ['spawn EMFILE', notSpawned],
])(
  'a writer that cannot start (%s) is reported once, restarted after a pause, and reported again after a success',
  async (reason, how) => {
    const { store, writer, onError } = await openStore(20_000);
    const fork = spyOnFork().mockImplementationOnce(how);
    const began = performance.now();
    process.kill(writer, 'SIGKILL');
    await vi.waitFor(() => expect(store.check()).rejects.toThrow(`${reason}; free memory, or raise`), patient);
    await Promise.allSettled(Array.from({ length: 9 }, () => store.check()));
    // At most once a second.
    expect(fork.mock.calls.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1_000));
    await vi.waitFor(() => store.check(), patient);
    expect(onError).toHaveBeenCalledTimes(1);
    process.kill(writerOf(process.pid), 'SIGKILL');
    await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(2), patient);
  },
);

/** Opens a writer without a store, and its file. */
async function openedWriter(timeoutMs: number) {
  const fork = spyOnFork();
  const onError = vi.fn<(error: Error) => void>();
  const path = await migratedFile();
  const writer = openWriter(completeOptions({ path, timeoutMs, onError }));
  await vi.waitFor(() => writer.call('open'), patient);
  const child = fork.mock.results.at(-1)?.value as ChildProcess;
  return { path, writer, child, exit: once(child, 'exit'), onError };
}

test('a writer that waits for a lock responds to other calls, and closes its file when it is ended', async () => {
  const { path, writer, exit, onError } = await openedWriter(20_000);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const inserting = writer.call('insert', [{ id: 1n, name: 'Fern' }], Date.now() + 20_000);
  expect(await writer.call('status')).not.toEqual([]);
  other.close();
  expect(await inserting).toEqual([{ done: { outcome: 'added' } }]);

  await writer.end();
  expect(await readdir(dirname(path))).toEqual(['plants.sqlite']);
  expect(await exit).toEqual([0, null]);
  expect(onError).not.toHaveBeenCalled();
  await expect(writer.call('open')).rejects.toThrow(StoreUnavailable);
});

test('an insert that begins after its deadline, as when opening the file took long, does not wait for a lock', async () => {
  const { path, writer } = await openedWriter(20_000);
  using other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const inserting = writer.call('insert', [{ id: 1n, name: 'Fern' }], Date.now() - 1);
  await expect(inserting).rejects.toThrow(/locked/);
  await writer.end();
});

test('ending a writer that is blocked in a system call does not wait for its exit', async () => {
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

test('if the file system hangs, a migration warns after a second and finally throws StoreUnavailable', async () => {
  const path = await migratedFile();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const onWarning = vi.fn<(message: string) => void>();
  const { fork } = processes;
  // Before it can respond, however slow this process is.
  spyOnFork().mockImplementationOnce((...given) => {
    const child = fork(...given);
    child.kill('SIGSTOP');
    return child;
  });
  const migrating = migrateSqlite({ path, timeoutMs: 10, onWarning });
  const hangs = `${path}: no response within 10020 ms: the file system hangs; check the disk, then restart`;
  const failed = expect(migrating).rejects.toThrow(new StoreUnavailable(hangs));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onWarning.mock.calls).toEqual([[expect.stringMatching(/no response for 1000 ms; the file system may hang/)]]);
  await vi.advanceTimersByTimeAsync(9_020);
  await failed;
});

test('a writer exits when its parent is killed, and does not keep an idle parent alive', async () => {
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
