import { type Kysely, sql } from 'kysely';
import { openKysely } from '../driver/database.ts';
import { storeUnavailable } from '../errors.ts';
import { completeOptions, type PostgresOptions } from '../options.ts';
import type { Schema } from '../schema.ts';

/**
 * Spreads the table of plants by id over the nodes of a Citus cluster (`create_distributed_table`). The database has to
 * be migrated, and `connectionString` lead to the coordinator. A table that is distributed already is left as it is.
 * Plants that are there are moved, which takes as long as it takes and keeps adds waiting.
 *
 * @throws {Error} when the database has no Citus.
 * @throws {StoreUnavailable} when the database cannot be reached.
 * @throws {RangeError} when an option is out of its range.
 */
export async function distributePostgres(options: PostgresOptions): Promise<void> {
  // To pg, 0 is no limit.
  const db = openKysely({ ...completeOptions(options), dropAfterMs: 0 });
  try {
    if (!(await hasCitus(db)))
      throw new Error('this database has no Citus: install it on every node, and run CREATE EXTENSION citus in it');
    if (!(await isDistributed(db))) await sql`select create_distributed_table('plants', 'id')`.execute(db);
  } finally {
    await db.destroy();
  }
}

async function hasCitus(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('pg_dist_partition') is not null as there`.execute(db);
  return rows[0]?.there === true;
}

async function isDistributed(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`select from pg_dist_partition where logicalrelid = 'plants'::regclass`
    .execute(db)
    .catch((error: unknown) => {
      throw storeUnavailable(error);
    });
  return rows.length > 0;
}
