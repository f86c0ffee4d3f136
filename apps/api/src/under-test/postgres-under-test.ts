import { migratePostgres, openPostgres, postgresPromises } from '@plant-store/adapters-postgres';
import type { NewPlant } from '@plant-store/domain';
import type { PreparedStore, StoreUnderTest } from '@plant-store/domain/contract';
import { addersTo } from './add-until-killed.ts';
import { openProxy } from './freezing-proxy.ts';
import { postgresAddress, throughProxy } from './postgres-address.ts';
import { runSql } from './run-sql.ts';
import { scratchDatabase } from './scratch-database.ts';

/**
 * PostgreSQL in scratch databases of the given server, or in scratch schemas where the user may not create databases.
 * The store reaches it through a proxy of this process that can freeze, so that the server has an outage for nobody
 * else.
 */
export function postgresUnderTest(url: string): StoreUnderTest {
  return { promises: postgresPromises, prepare: () => prepare(url) };
}

async function prepare(given: string): Promise<PreparedStore> {
  await using resources = new AsyncDisposableStack();
  const scratch = await scratchDatabase(given);
  resources.defer(scratch.drop);
  const adders = addersTo(scratch.url);
  resources.defer(adders.end);
  await migratePostgres({ connectionString: scratch.url });
  const proxy = await openProxy(postgresAddress(scratch.url));
  resources.defer(proxy.close);
  const connectionString = throughProxy(scratch.url, proxy.port);

  const kept = resources.move();
  let disposing: Promise<void> | undefined;
  return {
    open: () => openPostgres({ connectionString }),
    // Once: the second caller is told what went wrong as well.
    dispose: () => (disposing ??= kept.disposeAsync()),
    refusedPlant: () => refuse(scratch.url, { id: -7n, name: 'refused by a constraint' }),
    addUntilKilled: adders.addUntilKilled,
    startOutage: async () => {
      proxy.freeze();
      return async () => proxy.thaw();
    },
  };
}

async function refuse(url: string, plant: NewPlant): Promise<NewPlant> {
  await runSql(url, `ALTER TABLE plants ADD CONSTRAINT refuse CHECK (id <> ${plant.id})`);
  return plant;
}
