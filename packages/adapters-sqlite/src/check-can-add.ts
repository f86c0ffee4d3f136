import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Fails wherever an add would: while the file is locked, read-only, damaged or not migrated. It adds no row: that takes
 * the write lock as an add does, and writes and syncs nothing. A full disk shows only when something is written: adds
 * then throw StoreUnavailable, checks do not.
 */
export async function checkCanAdd(db: Kysely<Schema>): Promise<void> {
  await db
    .insertInto('plants')
    .columns(['id', 'name'])
    .expression(db.selectNoFrom([sql.lit(0).as('id'), sql.lit('').as('name')]).where(sql.lit(false)))
    .execute();
}
