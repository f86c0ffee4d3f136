import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { deserializeError } from './errors.ts';
import type { CompleteOptions } from './options.ts';
import type { Call, Operations, Reply } from './writer-process.ts';

/** A process that accesses the file. If it exits, it is restarted. */
export interface Writer {
  /**
   * Calls an operation of the process. The event loop stays alive until the response.
   *
   * @throws {Error} the error of the operation.
   * @throws {StoreUnavailable} if the process cannot be started or exits first, and immediately while an earlier call hangs.
   */
  call<Name extends keyof Operations>(
    name: Name,
    ...given: Parameters<Operations[Name]>
  ): Promise<Awaited<ReturnType<Operations[Name]>>>;
  /** Ends the process within `timeoutMs`, if necessary with SIGKILL, which takes effect when a blocked system call returns. */
  end(): Promise<void>;
}

/** Opens a writer. Its exit or failed start is reported to `onError`, and again only after a call has succeeded. */
export function openWriter({ path, timeoutMs, onError }: CompleteOptions): Writer {
  // The calls by their numbers, the oldest first.
  const inFlight = new Map<number, PromiseWithResolvers<unknown> & { readonly since: number }>();
  let child: ChildProcess | undefined;
  let startedAt = -Infinity;
  let exitError: StoreUnavailable | undefined;
  let isReported = false;
  let isEnding = false;
  let calls = 0;

  function start(): void {
    startedAt = performance.now();
    try {
      child = forkProcess(path, timeoutMs);
      child.on('message', settle);
      child.on('error', startFailed);
      child.once('exit', (code, signal) => {
        const hint = signal === 'SIGKILL' ? KILLED : '';
        rejectAll(`has exited (${signal ?? `exit code ${code}`}) and is restarted${hint}`);
      });
    } catch (cause) {
      // fork() throws some errors, such as a lack of memory, and emits others.
      startFailed(cause);
    }
  }

  const startFailed = (cause: unknown) => rejectAll(`cannot be started: ${(cause as Error).message}; ${LIMITS}`);

  function rejectAll(reason: string): void {
    child = undefined;
    exitError = new StoreUnavailable(`the process that writes to the file ${reason}`);
    if (!isReported && !isEnding) onError(exitError);
    isReported = true;
    for (const { reject } of inFlight.values()) reject(exitError);
    inFlight.clear();
  }

  function settle([number, failure, result]: Reply): void {
    const call = inFlight.get(number);
    inFlight.delete(number);
    if (inFlight.size === 0) keepAlive(child, false);
    if (failure) call?.reject(deserializeError(failure));
    else call?.resolve(result);
    isReported &&= failure !== undefined;
  }

  function send(to: ChildProcess, ...named: [name: keyof Operations, ...given: unknown[]]): Promise<unknown> {
    calls += 1;
    const call = { ...Promise.withResolvers<unknown>(), since: performance.now() };
    inFlight.set(calls, call);
    keepAlive(to, true);
    // If sending fails, the process has exited or did not start, and that event rejects the call.
    to.send?.([calls, ...named] satisfies Call, () => {});
    return call.promise;
  }

  /** Whether a call takes longer than waiting for a lock may take. */
  function isHanging(): boolean {
    const [{ since = Infinity } = {}] = inFlight.values();
    return performance.now() - since > 2 * timeoutMs;
  }

  async function call(...named: [name: keyof Operations, ...given: unknown[]]): Promise<unknown> {
    if (!child && !isEnding && performance.now() - startedAt > RESTART_PAUSE_MS) start();
    if (!child) throw exitError;
    // Calls must not pile up while the file system hangs.
    if (isHanging()) throw new StoreUnavailable(`${path}: the file system does not respond: check the disk`);
    return send(child, ...named);
  }

  async function end(): Promise<void> {
    const ended = child;
    isEnding = true;
    if (!ended) return;
    const timeout = sleep(isHanging() ? 0 : timeoutMs, 'late', { ref: false });
    if ((await Promise.race([send(ended, 'close').catch(() => {}), timeout])) === 'late') ended.kill('SIGKILL');
    // A blocked system call may delay the exit for ever, so this does not wait for it.
    rejectAll('has ended');
    keepAlive(ended, false);
    if (ended.connected) ended.disconnect();
  }

  return { call: call as Writer['call'], end };
}

function forkProcess(path: string, timeoutMs: number): ChildProcess {
  // The program is source or built, as this module is.
  const extension = extname(import.meta.filename);
  return fork(join(import.meta.dirname, `writer-process${extension}`), [path, String(timeoutMs)], {
    // The environment holds tokens, so no signal may open its debugger.
    execArgv: ['--disable-sigusr1', ...(extension === '.ts' ? ['--conditions=development'] : [])],
    // JSON cannot hold a bigint.
    serialization: 'advanced',
    // A reader of this process's output would otherwise wait for a writer that hangs.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** Sets whether the event loop stays alive for the child. */
function keepAlive(child: ChildProcess | undefined, isAlive: boolean): void {
  for (const each of [child, child?.channel]) each?.[isAlive ? 'ref' : 'unref']();
}

const LIMITS = 'free memory, or raise the limits on processes and open files';
const KILLED = ': if this recurs, check the kernel log for a lack of memory';

/** 1 s: a process that cannot run must not be restarted in a tight loop. */
const RESTART_PAUSE_MS = 1_000;
