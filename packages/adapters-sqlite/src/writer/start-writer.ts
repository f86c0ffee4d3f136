import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { type Call, errorOf, type Reply } from './messages.ts';
import type { Operations } from './program.ts';

/** A process that does what would block this one. */
export interface Writer {
  /** Whether it can be called; otherwise it has exited, or is about to. */
  readonly isRunning: boolean;
  /** When the oldest of the calls that are in flight was made, by `performance.now()`; undefined if there is none. */
  readonly busySince: number | undefined;
  /**
   * @throws what the operation throws.
   * @throws {StoreUnavailable} when the process exits first.
   */
  call<Name extends keyof Operations>(
    name: Name,
    ...parameters: Parameters<Operations[Name]>
  ): ReturnType<Operations[Name]>;
  /** Ends the process within a time, by force if need be. What hangs in a system call goes when that returns. */
  end(withinMs: number): Promise<void>;
}

/** Starts a writer, which keeps this process alive only while a call is in flight. */
export function startWriter(): Writer {
  const child = forkProgram();
  const inFlight = new Map<number, InFlight>();
  let calls = 0;

  child.on('message', (reply: Reply) => {
    const call = inFlight.get(reply.number);
    inFlight.delete(reply.number);
    if (inFlight.size === 0) child.channel?.unref();
    if ('failure' in reply) call?.reject(errorOf(reply.failure));
    else call?.resolve(reply.result);
  });
  // Its end of the channel is closed, which it is when it has exited.
  child.once('disconnect', () => rejectAll(exited()));
  child.on('error', (cause) =>
    rejectAll(new StoreUnavailable(`cannot start the process that writes to the file: ${cause.message}`, { cause })),
  );

  function rejectAll(error: Error): void {
    for (const { reject } of inFlight.values()) reject(error);
    inFlight.clear();
  }

  const exited = () => new StoreUnavailable('the process that writes to the file has exited; another one starts');

  function call(operation: string, ...parameters: unknown[]): Promise<unknown> {
    if (!child.connected) return Promise.reject(exited());
    calls += 1;
    const number = calls;
    return new Promise((resolve, reject) => {
      inFlight.set(number, { since: performance.now(), resolve, reject });
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
      if (!child.connected) return;
      const closed = call('close').catch(() => {});
      const inTime = await Promise.race([closed.then(() => true), sleep(withinMs, false, { ref: false })]);
      if (!inTime) child.kill('SIGKILL');
      child.disconnect();
    },
  };
}

interface InFlight {
  readonly since: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

function forkProgram(): ChildProcess {
  // It runs as this module does, as source or built.
  const extension = extname(import.meta.filename);
  const child = fork(join(import.meta.dirname, `program${extension}`), {
    execArgv: extension === '.ts' ? ['--conditions=development'] : [],
    // Ids are bigints.
    serialization: 'advanced',
    // None of this process's streams: whoever reads them until their end would wait for a process that hangs.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  return child;
}
