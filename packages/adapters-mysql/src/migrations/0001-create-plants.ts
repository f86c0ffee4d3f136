import { type Kysely, sql } from 'kysely';

/**
 * The table of plants, unless there is one, and the one that `writeDurably` writes to. Named in full what a server may have
 * another default for: the engine that syncs commits, and texts that keep every character. No transaction holds both.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists plant_store_sync (
    slot smallint not null primary key, writes bigint not null) engine = InnoDB`.execute(db);
  await sql`create table if not exists plants (
    id bigint not null primary key, name longtext not null, tag longtext
    ) engine = InnoDB character set utf8mb4 collate utf8mb4_bin`.execute(db);
}
