import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Who reads the log of a service: everything at once, 1 KiB in 50 ms, nobody, or somebody who closes it at SIGTERM. */
export const logReaders = ['reads', 'slow', 'stalled', 'closes'] as const;

export type LogReader = (typeof logReaders)[number];

/** A service whose log goes to a pipe. */
export interface Piped {
  readonly process: ChildProcess;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** What the log reader does at SIGTERM. */
  signalled(): void;
  /** What was read of the log, and its standard error. */
  output(): string;
}

const main = join(import.meta.dirname, '../../src/main.ts');

/** Starts the service in an environment with nothing but these variables. Its log goes to a pipe that is read in one way. */
export async function startPiped(environment: Record<string, string>, reader: LogReader): Promise<Piped> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-log-'));
  const path = join(directory, 'log');
  execFileSync('mkfifo', [path]);
  const log = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const child = spawn('bash', ['-c', 'exec "$@" >"$LOG"', 'bash', process.execPath, '--conditions=development', main], {
    env: { PATH: process.env['PATH'], LOG: path, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk;
  });

  const buffer = Buffer.alloc(reader === 'slow' ? 1_024 : 1_048_576);
  const reading = reader === 'stalled' ? undefined : setInterval(read, reader === 'slow' ? 50 : 5);
  let isOpen = true;
  function read(): void {
    try {
      text += buffer.toString('utf8', 0, readSync(log, buffer));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
  function close(): void {
    if (isOpen) closeSync(log);
    isOpen = false;
    clearInterval(reading);
  }

  const ended = once(child, 'exit').then(async ([code, signal]) => {
    if (reader === 'reads' && isOpen) read();
    close();
    await rm(directory, { recursive: true });
    return code ?? signal;
  });
  return {
    process: child,
    ended,
    signalled: () => void (reader === 'closes' && close()),
    output: () => text,
  };
}
