import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { scratchDirectory, TOKEN } from '../running-service.ts';

/** A service whose log goes to a pipe, and the pipe's reader: nothing is read unless a test says so. */
export interface LoggedService {
  readonly url: string;
  readonly adminUrl: string;
  /** Reads until a pattern has come so many times, `bytes` at once, and returns everything read so far. */
  readUntil(pattern: RegExp, times?: number, bytes?: number): Promise<string>;
  /** Nobody reads any more. */
  stopReading(): void;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code or signal, and what came on standard error. */
  readonly ended: Promise<{ readonly code: number | NodeJS.Signals; readonly stderr: string }>;
}

/** Starts the service with a named pipe as standard output: what Node itself would make for a child is a socket. */
export async function startLogged(environment: Record<string, string>): Promise<LoggedService> {
  const directory = await scratchDirectory(onTestFinished);
  const pipe = join(directory, 'log');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  const main = join(import.meta.dirname, '../../src/main.ts');
  const service = spawn(process.execPath, ['--conditions=development', main], {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: directory,
      PORT: '0',
      ADMIN_PORT: '0',
      API_TOKENS: TOKEN,
      NODE_ENV: 'production',
      SHUTDOWN_DELAY_MS: '0',
      ...environment,
    },
    stdio: ['ignore', writer, 'pipe'],
  });
  closeSync(writer);
  onTestFinished(() => void service.kill('SIGKILL'));
  let stderr = '';
  service.stderr?.on('data', (text) => {
    stderr += text;
  });
  const ended = once(service, 'close').then(([code, signal]) => ({ code: code ?? signal, stderr }));

  let log = '';
  async function readUntil(pattern: RegExp, times = 1, bytes = 65_536): Promise<string> {
    const buffer = Buffer.alloc(bytes);
    while (timesIn(log, pattern) < times) {
      try {
        const read = readSync(reader, buffer);
        if (read === 0) throw new Error(`the log ended without ${pattern}:\n${log.slice(-2_000)}\n${stderr}`);
        log += buffer.toString('latin1', 0, read);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
      await sleep(1);
    }
    return log;
  }

  const [, url = '', adminUrl = ''] = /"listening on (\S+) \(admin: ([^)]+)\)"/.exec(
    await readUntil(/"listening on [^"]+"/),
  ) as RegExpExecArray;
  return {
    url,
    adminUrl,
    readUntil,
    stopReading: () => closeSync(reader),
    kill: (signal) => void service.kill(signal),
    ended,
  };
}

/** How often a pattern is in a text. */
export function timesIn(text: string, pattern: RegExp): number {
  return text.match(new RegExp(pattern, 'g'))?.length ?? 0;
}
