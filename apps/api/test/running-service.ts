import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export { scratchDirectory } from '@plant-store/testing';

/** The token that the services of these tests accept, unless they are started with others. */
export const TOKEN = 'token-of-the-tests';

/** A command in a separate process, which is killed when its scope ends. */
export interface RunningProcess extends Disposable {
  readonly process: ChildProcess;
  /** What it has printed so far, standard output and standard error as they came. */
  output(): string;
  /** Resolves with the first match in its output; rejects if it ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves when it has ended: with its exit code, or with the name of the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Sends a signal, by default SIGTERM, and resolves as `ended` does. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** A service that listens. */
export interface RunningService extends RunningProcess {
  readonly url: string;
  readonly adminUrl: string;
}

/**
 * What every process of a test gets of this environment: where programs are found, where compiled modules are kept, and
 * the run that it belongs to. The compile cache is a separate one: `plant-store` sets a flag of V8, which then rejects what
 * was compiled without it. In a shared one each would compile again what the other has, and write hundreds of files as it
 * exits.
 */
export function environmentOfTheRun(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE = '', PLANT_STORE_TEST_RUN } = process.env;
  return {
    PATH,
    NODE_COMPILE_CACHE: NODE_COMPILE_CACHE && join(NODE_COMPILE_CACHE, 'plant-store'),
    PLANT_STORE_TEST_RUN,
  };
}

/** Starts a command. */
export function run(command: string, args: readonly string[], options: SpawnOptions): RunningProcess {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let isRunning = true;
  const ended = once(child, 'close').then(([code, signal]) => {
    isRunning = false;
    return code ?? signal;
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk;
    });
  return {
    process: child,
    output: () => text,
    ended,
    async printed(pattern) {
      while (isRunning && !pattern.test(text)) await sleep(5);
      const match = pattern.exec(text);
      if (!match) throw new Error(`ended without printing ${pattern}:\n${text}`);
      return match;
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

/** Runs `plant-store` with these arguments, in an environment with none of its settings but these. */
function plantStore(
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd: string = process.cwd(),
): RunningProcess {
  const main = join(import.meta.dirname, '../src/main.ts');
  const env = { ...environmentOfTheRun(), ...environment };
  return run(process.execPath, ['--conditions=development', main, ...args], { env, cwd });
}

/** Runs `plant-store` to its end. */
export async function runToEnd(args: readonly string[], environment: Record<string, string> = {}, cwd?: string) {
  using command = plantStore(args, environment, cwd);
  return { code: await command.ended, output: command.output() };
}

/** Starts the service on free ports. */
export function beginService(environment: Record<string, string>): RunningProcess {
  return plantStore(['serve'], { PORT: '0', ADMIN_PORT: '0', API_TOKENS: TOKEN, ...environment });
}

/** Starts the service on free ports and waits until it listens. */
export function startService(environment: Record<string, string>): Promise<RunningService> {
  return listening(beginService(environment));
}

/** Waits until a service listens. */
export async function listening(service: RunningProcess): Promise<RunningService> {
  const [, url = '', adminUrl = ''] = await service.printed(/"listening on ([^" ]+)(?: \(admin: ([^)"]+)\))?"/);
  return { ...service, url, adminUrl };
}

/** Asks a service to create a plant; the body is a NewPlant as JSON text or as an object. */
export function create(url: string, newPlant: string | object, token: string = TOKEN): Promise<Response> {
  return fetch(`${url}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof newPlant === 'string' ? newPlant : JSON.stringify(newPlant),
  });
}

/** Opens a connection to a service, for bytes that no HTTP client sends. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect({ port: Number(port), host: hostname, noDelay: true });
}
