import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Fails wherever an add would: while the server is out of reach, a standby, read-only or not migrated. It adds no row
 * and writes nothing, so a full disk or a standby that is waited for shows in the adds alone.
 */
export async function checkCanAdd(db: Kysely<Schema>): Promise<void> {
  await db
    .insertInto('plants')
    .columns(['id', 'name'])
    .expression(db.selectNoFrom([sql.lit(0).as('id'), sql.lit('').as('name')]).where(sql.lit(false)))
    .execute();
}
