import { type Kysely, sql } from 'kysely';

/**
 * The table of plants, and the one that `writeDurably` writes to. Named in full what a server may have another default
 * for: the engine that syncs commits, and texts that keep every character.
 *
 * No transaction holds both: what a crash has left is found again, by its comment, and another application's table is
 * not taken for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists plant_store_sync (
    slot smallint not null primary key, writes bigint not null) engine = InnoDB`.execute(db);
  const { rows } = await sql`select 1 from information_schema.tables
    where table_schema = database() and table_name = 'plants' and table_comment = 'plant-store'`.execute(db);
  if (rows.length > 0) return;
  await sql`create table plants (
    id bigint not null primary key, name longtext not null, tag longtext
    ) engine = InnoDB character set utf8mb4 collate utf8mb4_bin comment 'plant-store'`.execute(db);
}
