import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { root } from '../repository.ts';

/** A service with two tokens, which ends with its scope. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly otherToken: string;
}

/** Starts the service on a store. @throws {Error} if it ends before it listens. */
export async function startService(databaseUrl: string): Promise<Service> {
  const [token, otherToken] = [`Token-${crypto.randomUUID()}`, `Token-${crypto.randomUUID()}`];
  const env = {
    ...process.env,
    ...{ DATABASE_URL: databaseUrl, API_TOKENS: `${token},${otherToken}`, PORT: '0', ADMIN_PORT: 'off' },
  };
  const args = ['--conditions=development', 'apps/api/src/main.ts', 'serve'];
  const service = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await listening(service.stdout);
  // A full pipe would block the service.
  service.stdout.resume();
  return {
    url,
    token,
    otherToken,
    async [Symbol.asyncDispose]() {
      service.kill();
      await once(service, 'exit');
    },
  };
}

async function listening(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /listening on (http:[^\s"]+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the service has ended before it listened');
}
