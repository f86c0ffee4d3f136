import { StoreMisconfigured } from '@plant-store/domain';
import type { Tables } from '@plant-store/sql-store';
import { type Kysely, sql } from 'kysely';
import type { CompleteOptions } from './options.ts';

/**
 * Why this adapter must not use a database whose table Citus distributes, with the URL to use: each of its
 * statements would become one for every shard. Undefined if the table is not distributed.
 *
 * @throws what PostgreSQL reports.
 */
export async function faultIfDistributed(
  db: Kysely<Tables>,
  { connectionString, table }: Pick<CompleteOptions, 'connectionString' | 'table'>,
): Promise<StoreMisconfigured | undefined> {
  const { rows } = await sql`select where to_regclass('pg_dist_partition') is not null`.execute(db);
  if (rows.length === 0) return undefined;
  const { rows: tables } =
    await sql`select from pg_dist_partition where logicalrelid = to_regclass(${table}) and partmethod = 'h'`.execute(
      db,
    );
  if (tables.length === 0) return undefined;
  const url = masked(connectionString.replace(/^\w+/, 'citus'));
  return new StoreMisconfigured(`PostgreSQL: the table ${table} is distributed by Citus: use ${url}`);
}

/** Without its password, which ends at the last @, however it is written. */
function masked(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]*):.*@/s, '$1:***@').replace(/([?&]password=)[^&]*/g, '$1***');
}
