import type { PlantExport } from '@plant-store/domain';
import { plants } from '@plant-store/sql-store';
import { PAGE_MS, readAll } from '@plant-store/sql-store/export';
import { preparedTransactions } from './citus/prepared-transactions.ts';
import { openKysely } from './driver/database.ts';
import { translateError } from './errors.ts';
import { completeOptions, type PostgresOptions } from './options.ts';

/**
 * Reads the plants of a PostgreSQL database, on a connection of its own and page by page: memory stays flat. A page
 * that takes longer than `dropAfterMs` fails. Plants that a Citus cluster does not show yet are a warning.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export function postgresExport(options: PostgresOptions): PlantExport {
  const completed = completeOptions({ dropAfterMs: PAGE_MS, ...options, poolSize: 1 });
  return {
    readAll: () =>
      readAll(plants, {
        open: () => openKysely(completed),
        async begin(db) {
          for (const warning of await preparedTransactions(db)) completed.onWarning(warning);
        },
        translateError: translateError,
      }),
  };
}
