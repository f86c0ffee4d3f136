import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { deserializeError } from './errors.ts';
import type { CompleteOptions } from './options.ts';
import type { Call, Operations, Reply } from './writer-process.ts';

/** A process that does what would block this one. If it exits, another one takes its place. */
export interface Writer {
  /**
   * Asks the process for something. This process stays alive until it has responded.
   *
   * @throws what the operation throws.
   * @throws {StoreUnavailable} when the process cannot be started or exits first, and at once while an earlier call hangs.
   */
  call<Name extends keyof Operations>(name: Name, ...given: Parameters<Operations[Name]>): ReturnType<Operations[Name]>;
  /** Ends the process within `timeoutMs`, by force if need be. What hangs in a system call goes when that returns. */
  end(): Promise<void>;
}

/** @param onError is told that the process has exited or cannot be started; again only after a call has succeeded. */
export function openWriter({ path, timeoutMs, onError }: CompleteOptions): Writer {
  // By their numbers: the oldest is the first.
  const inFlight = new Map<number, PromiseWithResolvers<unknown> & { readonly since: number }>();
  let child: ChildProcess | undefined;
  let startedAt = -Infinity;
  let gone: StoreUnavailable | undefined;
  let isReported = false;
  let isEnding = false;
  let calls = 0;

  function start(): void {
    startedAt = performance.now();
    try {
      child = forkProcess(path, timeoutMs);
      child.on('message', settle);
      child.on('error', notStarted);
      child.once('exit', (code, signal) => {
        const hint = signal === 'SIGKILL' ? KILLED : '';
        lose(`has exited (${signal ?? `exit code ${code}`}); another one starts${hint}`);
      });
    } catch (cause) {
      // Not every error is an event: no memory for another process is thrown.
      notStarted(cause);
    }
  }

  const notStarted = (cause: unknown) => lose(`cannot be started: ${(cause as Error).message}; ${LIMITS}`);

  function lose(how: string): void {
    child = undefined;
    gone = new StoreUnavailable(`the process that writes to the file ${how}`);
    if (!isReported && !isEnding) onError(gone);
    isReported = true;
    for (const { reject } of inFlight.values()) reject(gone);
    inFlight.clear();
  }

  function settle([number, failure, result]: Reply): void {
    const call = inFlight.get(number);
    inFlight.delete(number);
    if (inFlight.size === 0) hold(child, false);
    if (failure) call?.reject(deserializeError(failure));
    else call?.resolve(result);
    isReported &&= failure !== undefined;
  }

  function send(to: ChildProcess, ...named: [name: keyof Operations, ...given: unknown[]]): Promise<unknown> {
    calls += 1;
    const call = { ...Promise.withResolvers<unknown>(), since: performance.now() };
    inFlight.set(calls, call);
    hold(to, true);
    // If it cannot be sent the process has exited or was not started: the call is rejected when that is known.
    to.send?.([calls, ...named] satisfies Call, () => {});
    return call.promise;
  }

  /** For twice the timeout: what waits for a lock ends by then. */
  function isStuck(): boolean {
    const [{ since = Infinity } = {}] = inFlight.values();
    return performance.now() - since > 2 * timeoutMs;
  }

  async function call(...named: [name: keyof Operations, ...given: unknown[]]): Promise<unknown> {
    if (!child && !isEnding && performance.now() - startedAt > RESTART_PAUSE_MS) start();
    if (!child) throw gone;
    // Otherwise every add that times out would leave a call behind, for as long as the file system hangs.
    if (isStuck()) throw new StoreUnavailable(`${path}: the file system does not respond: check the disk`);
    return send(child, ...named);
  }

  async function end(): Promise<void> {
    const ended = child;
    isEnding = true;
    if (!ended) return;
    const waiting = sleep(isStuck() ? 0 : timeoutMs, 'late', { ref: false });
    if ((await Promise.race([send(ended, 'close').catch(() => {}), waiting])) === 'late') ended.kill('SIGKILL');
    // A system call that hangs may keep it: its exit may never come.
    lose('has ended');
    hold(ended, false);
    if (ended.connected) ended.disconnect();
  }

  return { call: call as Writer['call'], end };
}

function forkProcess(path: string, timeoutMs: number): ChildProcess {
  // It runs as this module does, as source or built.
  const extension = extname(import.meta.filename);
  return fork(join(import.meta.dirname, `writer-process${extension}`), [path, String(timeoutMs)], {
    // It has the environment of this process, tokens included: no signal may open its debugger.
    execArgv: ['--disable-sigusr1', ...(extension === '.ts' ? ['--conditions=development'] : [])],
    // Ids are bigints.
    serialization: 'advanced',
    // None of this process's streams: whoever reads them until their end would wait for a process that hangs.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** Whether this process stays alive for the other one. */
function hold(child: ChildProcess | undefined, isHeld: boolean): void {
  for (const each of [child, child?.channel]) each?.[isHeld ? 'ref' : 'unref']();
}

const LIMITS = 'free memory, or raise the limits on processes and open files';
const KILLED = ': if this recurs, see whether the system ran out of memory (kernel log)';

/** 1 s: a process that cannot run must not be started in a tight loop. */
const RESTART_PAUSE_MS = 1_000;
