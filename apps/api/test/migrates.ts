import { expect, onTestFinished, test } from 'vitest';
import { create, plantStore, startService, TOKEN } from './running-service.ts';

/** `plant-store migrate` on a new database. */
export function migrates(engine: string, databaseUrl: () => Promise<string>): void {
  test(`plant-store migrate, on ${engine}: status says what is missing, up applies it, and a service with MIGRATE=off starts only then`, async () => {
    const DATABASE_URL = await databaseUrl();
    const run = async (...args: string[]) => {
      const { ended, output } = plantStore(args, { DATABASE_URL, MIGRATE: 'off', API_TOKENS: TOKEN });
      return { code: await ended, output: output() };
    };

    expect(await run('serve')).toEqual({ code: 1, output: expect.stringContaining('plant-store migrate up') });
    expect(await run('migrate', 'status')).toEqual({ code: 1, output: expect.stringMatching(/^missing {2}\S+/m) });
    expect(await run('migrate', 'up')).toEqual({ code: 0, output: expect.stringMatching(/^applied {2}\S+/m) });
    expect(await run('migrate', 'status')).toEqual({ code: 0, output: expect.not.stringContaining('missing') });

    const service = await startService({ DATABASE_URL, MIGRATE: 'off' });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
  });
}
