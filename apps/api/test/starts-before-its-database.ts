import type { DedicatedServer } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runToEnd } from './run-in-process.ts';
import { create, plantStore, startService, TOKEN } from './running-service.ts';
import { patiently } from './started-outage.ts';

/**
 * A service whose database server is down. Workers are alike on every engine: on one of them suffices.
 * @param rejected a URL of the same server that it rejects once it is up.
 */
export function startsBeforeItsDatabase(engine: string, server: () => DedicatedServer, rejected: () => string): void {
  const withWorkers = engine === 'PostgreSQL';
  test.each(['auto', ...(withWorkers ? ['off'] : [])])(
    `a service starts before ${engine}, and is ready once it is up: MIGRATE=%s`,
    async (MIGRATE) => {
      const DATABASE_URL = server().url;
      if (MIGRATE === 'off') expect((await runToEnd(['migrate', 'up'], { DATABASE_URL })).code).toBe(0);
      await server().kill();
      onTestFinished(() => server().start());
      const service = await startService({ DATABASE_URL, MIGRATE, WORKERS: MIGRATE === 'off' ? '2' : '1' });
      onTestFinished(() => void service.process.kill('SIGKILL'));
      const isReady = async () => (await fetch(`${service.adminUrl}/readyz`)).status === 200;
      expect(await isReady()).toBe(false);
      expect((await create(service.url, { id: 7, name: 'Fern' })).status).toBe(503);
      await server().start();
      await vi.waitUntil(isReady, patiently);
      await expect.poll(async () => (await create(service.url, { id: 7, name: 'Fern' })).status, patiently).toBe(200);
      service.process.kill('SIGINT');
      expect(await service.ended).toBe(0);
    },
  );

  test.each(['1', ...(withWorkers ? ['2'] : [])])(
    `a service that ${engine} rejects once it is up exits: WORKERS=%s`,
    async (WORKERS) => {
      await server().kill();
      onTestFinished(() => server().start());
      const service = plantStore(['serve'], {
        ...{ PORT: '0', ADMIN_PORT: 'off', API_TOKENS: TOKEN },
        ...{ DATABASE_URL: rejected(), WORKERS },
      });
      onTestFinished(() => void service.process.kill('SIGKILL'));
      await service.printed(/"listening on /);
      await server().start();
      expect(await service.ended).toBe(1);
      expect(service.output()).toMatch(/check user/);
      if (WORKERS === '1') expect(service.output()).toMatch(/"level":60.*; exiting"/);
      expect(service.output()).not.toContain('mellon');
    },
  );
}
