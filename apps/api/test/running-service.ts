import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { environmentOfTheRun, type RunningProcess, run } from './running-process.ts';

export { type OnTestFinished, scratchDirectory } from '@plant-store/testing';

/** The token that the services of these tests accept, unless they are started with others. */
export const TOKEN = 'token-of-the-tests';

/** Runs `plant-store` with these arguments, in an environment with none of its settings but these. */
export function plantStore(args: readonly string[], environment: Record<string, string> = {}): RunningProcess {
  const main = join(import.meta.dirname, '../src/main.ts');
  return run(process.execPath, ['--conditions=development', main, ...args], {
    env: { ...environmentOfTheRun(), ...environment },
  });
}

/** A service that listens. */
export interface RunningService extends RunningProcess {
  readonly url: string;
  readonly adminUrl: string;
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
