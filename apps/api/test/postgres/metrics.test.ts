import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { composedService } from '../composed-service.ts';
import { create } from '../running-service.ts';
import { scrape, sumOf } from '../telemetry/exposition.ts';

test('the store has metrics: commits, batch sizes, pool and circuit breaker', async () => {
  const environment = { DATABASE_URL: await freshDatabase(), DATABASE_POOL_SIZE: '7', ADMIN_PORT: '0' };
  const { url, adminUrl = '', stop } = await composedService(environment);
  onTestFinished(() => stop());
  await Promise.all(Array.from({ length: 40 }, (_, id) => create(url, { id, name: 'Fern' })));

  const samples = await scrape(adminUrl);
  expect(sumOf(samples, 'plant_store_write_plants_sum', { outcome: 'stored' })).toBe(40);
  const writes = sumOf(samples, 'plant_store_write_plants_count', { outcome: 'stored' });
  expect(writes).toBeGreaterThan(0);
  expect(sumOf(samples, 'plant_store_write_duration_seconds_count', { outcome: 'stored' })).toBe(writes);
  expect(sumOf(samples, 'plant_store_connections_max')).toBe(7);
  expect(sumOf(samples, 'plant_store_connections', { state: 'idle' })).toBeGreaterThan(0);
  for (const name of ['waiting_adds', 'connections_pending', 'circuit_open', 'retries_total'])
    expect(samples).toContainEqual({ name: `plant_store_${name}`, labels: {}, value: 0 });
});
