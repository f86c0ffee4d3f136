import { expect, onTestFinished, test } from 'vitest';
import { composedService } from './composed-service.ts';
import { runToEnd } from './run-in-process.ts';
import { create } from './running-service.ts';

/** `plant-store migrate` on a new database. */
export function migrates(engine: string, databaseUrl: () => Promise<string>): void {
  test(`plant-store migrate, on ${engine}: status says what is missing, up applies it, and a service with MIGRATE=off starts only then`, async () => {
    const DATABASE_URL = await databaseUrl();
    const run = (...args: string[]) => runToEnd(args, { DATABASE_URL });
    const serve = () => composedService({ DATABASE_URL, MIGRATE: 'off' });

    await expect(serve()).rejects.toThrow('plant-store migrate up');
    expect(await run('migrate', 'status')).toEqual({ code: 1, output: expect.stringMatching(/^missing {2}\S+/m) });
    expect(await run('migrate', 'up')).toEqual({ code: 0, output: expect.stringMatching(/^applied {2}\S+/m) });
    expect(await run('migrate', 'status')).toEqual({ code: 0, output: expect.not.stringContaining('missing') });

    const service = await serve();
    onTestFinished(() => service.stop());
    expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
  });
}
