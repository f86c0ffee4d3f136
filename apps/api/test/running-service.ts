import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../src/main.ts');

/** The token that the services of these tests accept, unless they are started with others. */
export const TOKEN = 'token-of-the-tests';

/** A command line in a process of its own. */
export interface Run {
  readonly process: ChildProcess;
  /** What it has printed so far, standard output and standard error as they came. */
  output(): string;
  /** Resolves with the first match in what it prints; throws when it ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves when it has ended: with its exit code, or with the name of the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Runs `plant-store` with these arguments, in an environment with nothing but these variables. */
export function plantStore(args: readonly string[], environment: Record<string, string> = {}): Run {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['--conditions=development', main, ...args], {
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const append = (chunk: Buffer) => {
    text += chunk;
  };
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return {
    process: child,
    output: () => text,
    ended,
    async printed(pattern) {
      for (let running = true; ; ) {
        const match = pattern.exec(text);
        if (match) return match;
        if (!running) throw new Error(`ended without printing ${pattern}:\n${text}`);
        running = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
      }
    },
  };
}

/** A service that listens. */
export interface RunningService extends Run {
  readonly url: string;
  readonly adminUrl: string;
}

/** Starts the service on free ports and waits until it listens. */
export async function startService(environment: Record<string, string>): Promise<RunningService> {
  const run = plantStore(['serve'], { PORT: '0', ADMIN_PORT: '0', API_TOKENS: TOKEN, ...environment });
  const [, url = '', adminUrl = ''] = await run.printed(/"url":"([^"]+)","adminUrl":"([^"]+)"/);
  return { ...run, url, adminUrl };
}

/** Asks a service to create a plant; the body is a NewPlant as JSON text or as an object. */
export function create(url: string, newPlant: string | object, token: string = TOKEN): Promise<Response> {
  return fetch(`${url}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof newPlant === 'string' ? newPlant : JSON.stringify(newPlant),
  });
}

/** A new directory that is removed at the end of the test that made it. */
export async function scratchDirectory(onTestFinished: (cleanUp: () => Promise<void>) => void): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
