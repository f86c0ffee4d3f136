import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { composedService } from './composed-service.ts';
import { create, scratchDirectory, startService } from './running-service.ts';

test('two instances on one store resolve races, and every plant that got 200 is stored after kill -9 of one under load and a restart', {
  timeout: 60_000,
}, async () => {
  const DATABASE_URL = `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`;
  const startHere = async () => {
    const service = await composedService({ DATABASE_URL });
    onTestFinished(() => service.stop());
    return service;
  };
  const [killed, other] = await Promise.all([startService({ DATABASE_URL }), startHere()]);
  onTestFinished(() => void killed.process.kill('SIGKILL'));

  const urls = [killed.url, other.url];
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
  // Stopped first, so that no other service repairs what the killed one leaves.
  await other.stop();

  const acknowledged: number[] = [];
  let next = 1_000;
  const client = async () => {
    for (;;) {
      const id = next++;
      const response = await create(killed.url, { id, name: `plant ${id}` }).catch(() => undefined);
      if (response === undefined) return;
      expect(response.status).toBe(200);
      acknowledged.push(id);
      if (acknowledged.length === 200) killed.process.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: 16 }, client));
  expect(await killed.ended).toBe('SIGKILL');
  expect(acknowledged.length).toBeGreaterThanOrEqual(200);

  const restarted = await startHere();
  for (const id of acknowledged) {
    // Another plant under an id is rejected only if the id is taken: the first plant is there.
    const response = await create(restarted.url, { id, name: 'another' });
    expect([id, response.status, await response.json()]).toEqual([id, 400, expect.objectContaining({ error: 40005 })]);
  }
});
