import { postgresDatabase } from '@plant-store/adapters-postgres/driver';
import { type CompleteServerOptions, type Database, type PlantRow, plantColumns } from '@plant-store/store-kit';
import type { SqlDatabase } from '@plant-store/store-kit/sql';
import { type Kysely, sql } from 'kysely';

/**
 * Makes the database of a store on Citus. It differs from PostgreSQL's where Citus would plan a statement once for each shard, which a
 * multi-row VALUES avoids, and where settings have to reach the nodes.
 */
export function citusDatabase(db: Kysely<Database>, options: CompleteServerOptions): SqlDatabase {
  return {
    ...postgresDatabase(db, options),
    insert,
    read: (ids) => db.transaction().execute((transaction) => read(transaction, ids)),
  };
}

async function insert(db: Kysely<Database>, rows: readonly PlantRow[]): Promise<readonly bigint[]> {
  if (!db.isTransaction) return db.transaction().execute((transaction) => insert(transaction, rows));
  await setLocally(db);
  const inserted = await db
    .insertInto('plants')
    .values([...rows])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .execute();
  return inserted.map(({ id }) => id);
}

/** The node of each row writes a message, so its commit waits for the standbys as that of the row. Citus refuses locks of several shards. */
async function read(db: Kysely<Database>, ids: readonly bigint[]): Promise<readonly PlantRow[]> {
  await setLocally(db);
  const message = sql`pg_logical_emit_message(true, 'plant-store', '')`.as('message');
  return db
    .selectFrom('plants')
    .select([...plantColumns, message])
    .where('id', 'in', ids)
    .execute();
}

/** Sets settings until the end of the transaction, here and on the nodes. */
async function setLocally(db: Kysely<Database>): Promise<void> {
  await sql`set constraints all immediate; set local client_min_messages = warning;
    set local citus.propagate_set_commands = 'local';
    select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`.execute(
    db,
  );
  // The only statement of its message, because Citus forwards the whole message.
  await sql`set local lock_timeout = '50ms'`.execute(db);
}
