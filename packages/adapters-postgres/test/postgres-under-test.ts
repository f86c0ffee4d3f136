import { migratePostgres, openPostgres, postgresPromises } from '@plant-store/adapters-postgres';
import type { NewPlant } from '@plant-store/domain';
import type { StoreUnderTest } from '@plant-store/domain/contract';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import type { Outage } from './outages.ts';
import { addUntilKilled } from './processes/add-until-killed.ts';

/**
 * PostgreSQL on a database of its own for every place.
 *
 * @param serverUrl another server than the one that the run shares.
 */
export function postgresUnderTest(outage: Outage, serverUrl?: string): StoreUnderTest {
  return {
    promises: postgresPromises,
    async prepare() {
      const connectionString = await freshDatabase(serverUrl);
      await migratePostgres({ connectionString });
      return {
        open: () => openPostgres({ connectionString }),
        // The database goes with the run, or with its server.
        dispose: async () => {},
        refusedPlant: () => refuse(connectionString, { id: -7n, name: 'refused by a constraint' }),
        addUntilKilled: (plants) => addUntilKilled(connectionString, plants),
        startOutage: () => outage(connectionString),
      };
    },
  };
}

async function refuse(url: string, plant: NewPlant): Promise<NewPlant> {
  await runSql(url, `ALTER TABLE plants ADD CONSTRAINT refuse CHECK (id <> ${plant.id})`);
  return plant;
}
