import { ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { type Call, errorOf, type Reply } from './messages.ts';
import type { Operations } from './operations.ts';

/** A process that does what would block this one. */
export interface Writer {
  /** Whether it can be called; otherwise it has exited, or is about to. */
  readonly isRunning: boolean;
  /** When the oldest of the calls that are in flight was made, by `performance.now()`; undefined if there is none. */
  readonly busySince: number | undefined;
  /**
   * @throws what the operation throws.
   * @throws {StoreUnavailable} when the process exits first or could not be started, with what is known of why.
   */
  call<Name extends keyof Operations>(
    name: Name,
    ...parameters: Parameters<Operations[Name]>
  ): ReturnType<Operations[Name]>;
  /** Ends the process within a time, by force if need be. What hangs in a system call goes when that returns. */
  end(withinMs: number): Promise<void>;
}

/**
 * Starts a writer, which keeps this process alive only while a call is in flight.
 *
 * @param onExit called, once at most, with what calls throw from now on: it cannot be started, or has exited although
 * nobody ended it.
 */
export function startWriter(onExit: (error: StoreUnavailable) => void = () => {}): Writer {
  const child = forkProgram();
  let gone: StoreUnavailable | undefined;
  let isEnding = false;
  const inFlight = new Map<number, InFlight>();
  let calls = 0;

  child.on('message', (reply: Reply) => {
    const call = inFlight.get(reply.number);
    inFlight.delete(reply.number);
    if (inFlight.size === 0) release(child);
    if ('failure' in reply) call?.reject(errorOf(reply.failure));
    else call?.resolve(reply.result);
  });
  child.once('exit', (code, signal) => goes(exited(signal ?? `exit code ${code}`)));
  // It is killed, but a system call that hangs keeps it: its exit may never come.
  child.once('disconnect', () => isEnding && goes(exited()));
  child.on('error', (cause) => goes(notStarted(cause)));

  function goes(error: StoreUnavailable): void {
    if (!gone && !isEnding) onExit(error);
    gone ??= error;
    for (const { reject } of inFlight.values()) reject(gone);
    inFlight.clear();
    release(child);
  }

  function call(operation: string, ...parameters: unknown[]): Promise<unknown> {
    // The reason comes as an event, after the channel is closed.
    if (!child.connected) return setImmediate().then(() => Promise.reject(gone ?? exited()));
    calls += 1;
    const number = calls;
    return new Promise((resolve, reject) => {
      inFlight.set(number, { since: performance.now(), resolve, reject });
      child.ref();
      child.channel?.ref();
      // If it cannot be sent the process has exited, and the call is rejected with the others.
      child.send({ number, operation, parameters } satisfies Call, () => {});
    });
  }

  return {
    get isRunning() {
      return child.connected;
    },
    get busySince() {
      // A map keeps the order of its entries.
      return inFlight.values().next().value?.since;
    },
    call: call as Writer['call'],
    async end(withinMs) {
      isEnding = true;
      if (!child.connected) return;
      const closed = call('close').catch(() => {});
      const inTime = await Promise.race([closed.then(() => true), sleep(withinMs, false, { ref: false })]);
      if (!inTime) child.kill('SIGKILL');
      child.disconnect();
    },
  };
}

function exited(how?: string): StoreUnavailable {
  const hint = how === 'SIGKILL' ? ': if this recurs, see whether the system ran out of memory (kernel log)' : '';
  return new StoreUnavailable(
    `the process that writes to the file has exited${how ? ` (${how})` : ''}; another one starts${hint}`,
  );
}

function notStarted(cause: Error): StoreUnavailable {
  const hint = 'free memory, or raise the limits on processes and open files';
  return new StoreUnavailable(`cannot start the process that writes to the file: ${cause.message}; ${hint}`, { cause });
}

interface InFlight {
  readonly since: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

function forkProgram(): ChildProcess {
  // It runs as this module does, as source or built.
  const extension = extname(import.meta.filename);
  try {
    const child = fork(join(import.meta.dirname, `program${extension}`), {
      execArgv: extension === '.ts' ? ['--conditions=development'] : [],
      // Ids are bigints.
      serialization: 'advanced',
      // None of this process's streams: whoever reads them until their end would wait for a process that hangs.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    release(child);
    return child;
  } catch (error) {
    // Not every error is an event: no memory for another process is thrown.
    const child = new ChildProcess();
    process.nextTick(() => child.emit('error', error));
    return child;
  }
}

/** Lets this process end before the other one. */
function release(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
