import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runCommandLine } from '../src/cli/index.ts';
import type { Host } from '../src/host.ts';

export interface Given {
  readonly stdin?: Readable;
  /** Whether nobody reads standard output. */
  readonly isStalled?: boolean;
  /** Why nothing can be written to standard output, such as `ENOSPC`. */
  readonly failsWith?: string;
}

/** A command that runs in the process of the test, which costs no start of another. */
export interface InProcess {
  /** What it has printed so far, standard output and standard error as they came. */
  output(): string;
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
  /** Sends it a signal, as Ctrl-C does with SIGINT. */
  kill(signal: NodeJS.Signals): void;
}

/** Said only where the machine is busy, by any command that opens a new file. */
const slowMigration = /^plant-store: .*: no response for \d+ ms; .*\n/gm;

/** Runs `plant-store` with these arguments, in an environment with nothing but these variables. */
export function startInProcess(
  args: readonly string[],
  environment: Record<string, string> = {},
  { stdin = Readable.from([]), isStalled = false, failsWith }: Given = {},
): InProcess {
  let text = '';
  const collect = (isRead: boolean) =>
    new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        if (isRead) done();
      },
    });
  const failing = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('cannot be written'), { code: failsWith })),
  });
  const exited = Promise.withResolvers<number>();
  const host = Object.assign(new EventEmitter(), {
    stdin,
    stdout: failsWith ? failing : collect(!isStalled),
    stderr: Object.assign(collect(true), { isTTY: false }),
    exitCode: 0,
    exit: (code?: number) => exited.resolve(code ?? host.exitCode),
  }) satisfies Host;
  return {
    output: () => text.replaceAll(slowMigration, ''),
    // A process that ends by itself has handled the events of its last writes.
    ended: Promise.race([
      exited.promise,
      runCommandLine(args, environment, host)
        .then(() => nextTurn())
        .then(() => host.exitCode),
    ]),
    kill: (signal) => {
      // The default action.
      if (!host.emit(signal)) exited.resolve(128 + constants.signals[signal]);
    },
  };
}

/** Runs `plant-store` to its end. */
export async function runToEnd(args: readonly string[], environment?: Record<string, string>, given?: Given) {
  const { ended, output } = startInProcess(args, environment, given);
  return { code: await ended, output: output() };
}
