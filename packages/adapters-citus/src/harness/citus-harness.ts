import { join } from 'node:path';
import { type CheckedAdapter, type Faults, harnessOf, scratchSchema } from '@plant-store/adapters-postgres/harness';
import type { ExportHarness } from '@plant-store/contracts-stores';
import { asPostgres } from '../connection-string.ts';
import { distributeCitus } from '../distribute.ts';
import { citusExport } from '../export.ts';
import { migrateCitus } from '../migrations.ts';
import type { CitusOptions } from '../options.ts';
import { openCitus } from '../store.ts';

export type { Faults };

/**
 * A Citus cluster in scratch schemas of the database at the URL, distributed as well: this database alone knows the nodes.
 * Existing data is left alone.
 *
 * @param faults as of `postgresHarness`: by default the coordinator freezes, for this process alone.
 * @param scratch another place than such a schema.
 */
export function citusHarness(url: string, faults?: Faults, scratch = scratchSchema): ExportHarness {
  return harnessOf({ ...adapter, scratch }, asPostgres(url), faults);
}

const adapter: Omit<CheckedAdapter, 'scratch'> = {
  async migrate(options: CitusOptions) {
    await migrateCitus(options);
    await distributeCitus(options);
  },
  open: openCitus,
  export: citusExport,
  addPlants: join(import.meta.dirname, 'add-plants'),
};
