import { join } from 'node:path';
import { createHarness, faults, scratchSchema } from '@plant-store/adapters-postgres/harness';
import type { HarnessChanges, StoreHarness } from '@plant-store/contracts-stores';
import type { PlantStore } from '@plant-store/domain';
import { toPostgresUrl } from '../src/connection-string.ts';
import type { CitusOptions } from '../src/store.ts';
import { citusStorage } from '../src/store.ts';

/**
 * Runs the contracts on distributed tables in scratch schemas of the database at the URL. It does not touch existing data.
 *
 * @param scratch creates a scratch database. A schema by default, because only this database knows the nodes.
 */
export function storeHarness(
  url: string,
  changes?: Pick<HarnessChanges, 'timeoutMs'>,
  scratch = scratchSchema,
): StoreHarness {
  const { 'a column of another type': type, 'a further column that is NOT NULL': column } = faults;
  return createHarness({
    scratchLocation: 'a scratch schema in the given database, with a distributed table',
    scratch: () => scratch(toPostgresUrl(url)),
    async migrate(options) {
      await citusStorage(options).migrate();
      await citusStorage(options).commands.distribute();
    },
    open: openCitus,
    export: (options) => citusStorage({ ...options, timeoutMs: 400 }).export(),
    opener: { module: join(import.meta.dirname, 'citus-harness'), name: 'openCitus' },
    // Citus allows neither rules nor triggers on a distributed table.
    faults: { 'a column of another type': type, 'a further column that is NOT NULL': column },
    ...changes,
  });
}

/** Opens a store, also in a process of its own. */
export const openCitus = (options: CitusOptions): Promise<PlantStore> => citusStorage(options).open();
