import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { openHosts } from '../src/hosts.ts';
import { kyselyPool } from '../src/kysely-pool.ts';
import { completeOptions } from '../src/options.ts';
import { openPool } from '../src/pool.ts';

test('a connection whose caller has given up while it was looked at is there for the next one', async () => {
  const options = completeOptions({
    connectionString: await freshDatabase(),
    poolSize: 1,
    connectWithinMs: 300,
    dropAfterMs: 60_000,
  });
  const looked = Promise.withResolvers<void>();
  let look = Promise.resolve();
  const pool = openPool(options, () => look);
  const first = await pool.connect();
  look = looked.promise;
  const late = pool.connect();
  // Its turn comes while it waits, and its time is up while the new connection is looked at.
  first.release(true);
  await expect(late).rejects.toThrow('timeout exceeded when trying to connect');
  looked.resolve();
  await expect.poll(() => pool.idleCount, { timeout: 10_000 }).toBe(1);
  (await pool.connect()).release();
  await pool.end();
});

test('a connection that comes when the pool is closed already is given back', async () => {
  const pool = kyselyPool(openHosts(completeOptions({ connectionString: await freshDatabase() })), undefined);
  const connection = pool.connect();
  const ended = pool.end();
  await expect(connection).rejects.toThrow('the PostgreSQL store is closed');
  expect(await Promise.race([ended.then(() => 'closed'), sleep(10_000)])).toBe('closed');
});
