import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { environmentOfTheRun } from '../running-process.ts';
import { TOKEN } from '../running-service.ts';

/** A service whose log goes to a pipe, and the pipe's reader: nothing is read unless a test says so. */
export interface LoggedService {
  readonly url: string;
  readonly adminUrl: string;
  /** Reads until a pattern has come, and returns everything read so far. */
  readUntil(pattern: RegExp): Promise<string>;
  /** Nobody reads any more. */
  stopReading(): void;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code or signal, and what came on standard error. */
  readonly ended: Promise<{ readonly code: number | NodeJS.Signals; readonly stderr: string }>;
}

/** A named pipe: what Node itself would make for a child is a socket. */
export function unreadPipe(): { readonly reader: number; readonly writer: number } {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const pipe = join(directory, 'log');
  execFileSync('mkfifo', [pipe]);
  return {
    reader: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK),
    writer: openSync(pipe, constants.O_WRONLY),
  };
}

export async function startLogged(environment: Record<string, string>): Promise<LoggedService> {
  const { reader, writer } = unreadPipe();
  const main = join(import.meta.dirname, '../../src/main.ts');
  const service = spawn(process.execPath, ['--conditions=development', main], {
    env: {
      ...environmentOfTheRun(),
      DATABASE_URL: 'memory:',
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
  async function readUntil(pattern: RegExp): Promise<string> {
    const buffer = Buffer.alloc(65_536);
    while (!pattern.test(log)) {
      try {
        const read = readSync(reader, buffer);
        if (read === 0) throw new Error(`the log ended without ${pattern}:\n${log.slice(-2_000)}\n${stderr}`);
        log += buffer.toString('latin1', 0, read);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        await sleep(1);
      }
    }
    return log;
  }

  const listening = /"listening on (\S+) \(admin: ([^)]+)\)"/;
  const [, url = '', adminUrl = ''] = listening.exec(await readUntil(listening)) as RegExpExecArray;
  const stopReading = () => closeSync(reader);
  return { url, adminUrl, readUntil, stopReading, kill: (signal) => void service.kill(signal), ended };
}

/** Requests without a token, over a few connections; resolves with their statuses. */
export async function send(url: string, count: number): Promise<ReadonlySet<number | undefined>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const statuses = Array.from({ length: count }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request(`${url}/plants`, { method: 'POST', agent }, (response) =>
      response.resume().once('end', () => resolve(response.statusCode)),
    )
      .once('error', reject)
      .end();
    return promise;
  });
  return new Set(await Promise.all(statuses));
}

/** How often a pattern is in a text. */
export function timesIn(text: string, pattern: RegExp): number {
  return text.match(new RegExp(pattern, 'g'))?.length ?? 0;
}
