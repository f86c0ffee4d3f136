import { join } from 'node:path';
import { harnessOf, scratchSchema } from '@plant-store/adapters-postgres/harness';
import type { HarnessChanges, StoreHarness } from '@plant-store/contracts-stores';
import { asPostgres } from '../src/connection-string.ts';
import { distributeCitus } from '../src/distribute.ts';
import { citusExport } from '../src/export.ts';
import { migrateCitus } from '../src/migrations.ts';
import { openCitus } from '../src/store.ts';

/**
 * Runs the contracts on distributed tables in scratch schemas of the database at the URL. It does not touch existing data.
 *
 * @param scratch creates a scratch database. A schema by default, because only this database knows the nodes.
 */
export function storeHarness(
  url: string,
  scratch = scratchSchema,
  changes?: Pick<HarnessChanges, 'timeoutMs'>,
): StoreHarness {
  return harnessOf({
    scratchLocation: 'a scratch schema in the given database, with a distributed table',
    scratch: () => scratch(asPostgres(url)),
    async migrate(options) {
      await migrateCitus(options);
      await distributeCitus(options);
    },
    open: openCitus,
    export: citusExport,
    opener: { module: join(import.meta.dirname, '../src/store'), name: 'openCitus' },
    ...changes,
  });
}
