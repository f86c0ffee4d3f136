import { describe, expect, onTestFinished, test } from 'vitest';
import { create, startService } from './running-service.ts';

/** Kills services in the middle of their work, and lets two of them share a store. */
export function survivesCrashes(engine: string, databaseUrl: () => Promise<string>): void {
  describe(`on ${engine}`, () => {
    async function start(DATABASE_URL: string) {
      const service = await startService({ DATABASE_URL, LOG_LEVEL: 'info' });
      onTestFinished(() => void service.process.kill('SIGKILL'));
      return service;
    }

    test('every plant that got 200 is stored after kill -9 under load and a restart', {
      timeout: 60_000,
    }, async () => {
      const DATABASE_URL = await databaseUrl();
      const first = await start(DATABASE_URL);
      const acknowledged: number[] = [];
      let next = 0;
      const client = async () => {
        for (;;) {
          const id = next++;
          const response = await create(first.url, { id, name: `plant ${id}` }).catch(() => undefined);
          if (response === undefined) return;
          expect(response.status).toBe(200);
          acknowledged.push(id);
          if (acknowledged.length === 200) first.process.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: 16 }, client));
      expect(await first.ended).toBe('SIGKILL');
      expect(acknowledged.length).toBeGreaterThanOrEqual(200);

      const second = await start(DATABASE_URL);
      for (const id of acknowledged) {
        // Another plant under an id is rejected only if the id is taken: the first plant is there.
        const response = await create(second.url, { id, name: 'another' });
        expect([id, response.status, await response.json()]).toEqual([
          id,
          400,
          expect.objectContaining({ error: 40005 }),
        ]);
      }
    });

    test('two instances on one store create plants concurrently and resolve races', async () => {
      const DATABASE_URL = await databaseUrl();
      const instances = await Promise.all([start(DATABASE_URL), start(DATABASE_URL)]);
      const urls = instances.map(({ url }) => url);
      const statuses = await Promise.all(
        Array.from(
          { length: 100 },
          async (_, racer) => (await create(urls[racer % 2] ?? '', { id: 7, name: `racer ${racer}` })).status,
        ),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 400)).toHaveLength(99);

      const created = await Promise.all(
        Array.from(
          { length: 100 },
          async (_, id) => (await create(urls[id % 2] ?? '', { id: 100 + id, name: 'Fern' })).status,
        ),
      );
      expect(new Set(created)).toEqual(new Set([200]));
    });
  });
}
