import type { DedicatedServer } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from './run-in-process.ts';
import { create, plantStore, TOKEN } from './running-service.ts';

const environment = { PORT: '0', ADMIN_PORT: '0', API_TOKENS: TOKEN };

/**
 * A service whose database server is down.
 * @param rejected a URL of the same server that it rejects once it is up.
 */
export function startsBeforeItsDatabase(engine: string, server: () => DedicatedServer, rejected: () => string): void {
  test.each(['auto', 'off'])(
    `a service starts before ${engine}, lives and is not ready, and listens once it is up: MIGRATE=%s`,
    async (MIGRATE) => {
      const DATABASE_URL = server().url;
      if (MIGRATE === 'off') expect((await runToEnd(['migrate', 'up'], { DATABASE_URL })).code).toBe(0);
      await server().kill();
      onTestFinished(() => server().start());
      const service = plantStore(['serve'], { ...environment, DATABASE_URL, MIGRATE });
      onTestFinished(() => void service.process.kill('SIGKILL'));
      const [, adminUrl] = await service.printed(/"admin listener on ([^"]+)"/);
      await service.printed(/"not ready: .*; the service tries again every second"/);
      const ready = await fetch(`${adminUrl}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable', reason: expect.any(String) }]);
      expect((await fetch(`${adminUrl}/livez`)).status).toBe(200);
      expect(service.output()).not.toContain('"listening on');
      await server().start();
      const [, url = ''] = await service.printed(/"listening on ([^" ]+)/);
      expect((await create(url, { id: 7, name: 'Fern' })).status).toBe(200);
      expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
      service.process.kill('SIGINT');
      expect(await service.ended).toBe(0);
    },
  );

  test(`a service that ${engine} rejects once it is up exits; one that waits for it ends at SIGTERM`, async () => {
    await server().kill();
    onTestFinished(() => server().start());
    const [service, waiting] = [1, 2].map(() => plantStore(['serve'], { ...environment, DATABASE_URL: rejected() }));
    for (const each of [service, waiting]) {
      onTestFinished(() => void each?.process.kill('SIGKILL'));
      await each?.printed(/"not ready: /);
    }
    waiting?.process.kill('SIGTERM');
    expect(await waiting?.ended).toBe(0);
    await server().start();
    expect(await service?.ended).toBe(1);
    expect(service?.output()).toMatch(/^plant-store: .*check user/m);
    expect(service?.output()).not.toContain('mellon');
  });
}
