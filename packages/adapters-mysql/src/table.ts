import { StoreUnavailable } from '@plant-store/domain';
import { type Column, columnFaults, UnsafeStore, unfitTable } from '@plant-store/store-kit';
import type { Session } from './session.ts';

/**
 * Refuses a server whose commits would not be durable, which no client would notice, and a table that would not keep every plant.
 * No session can override these settings.
 *
 * @param withinMs how long each of its statements may take.
 * @throws {UnsafeStore} with the object and what to do; {@link StoreUnavailable} when the server is not one that writes; what the
 *   server says when there is no such table.
 */
export async function checkSession(session: Session, withinMs: number): Promise<void> {
  const [found] = (await session.query(CATALOGUE, [], withinMs)) as [Found];
  const { setting, kind, name, bytes } = found;
  if (setting === 'read_only')
    throw new StoreUnavailable('MySQL: the server is read-only: connect to the one that writes');
  if (setting)
    throw new UnsafeStore(
      `MySQL: ${setting} is not 1, so a crash of the server loses what was acknowledged: set it to 1 (SET GLOBAL ${setting} = 1, and in the server's configuration file)`,
    );
  if (kind === null) {
    // It fails with why: the table is not there, not for this user, damaged, or locked.
    await session.query('select 1 from plants where false', [], withinMs);
    throw new StoreUnavailable('MySQL: another session was changing the table plants');
  }
  const faults = faultsOf(found);
  if (faults.length > 0) throw new UnsafeStore(`MySQL: ${unfitTable(name, faults)}`);
  session.maxAllowedPacket = Number(bytes);
}

/**
 * What {@link CATALOGUE} selects: a setting of the server that is wrong, and its longest statement in bytes; of the table of plants
 * its full name, its engine or `VIEW`, which is null if none is to be seen, the columns of its primary key, and all its columns as
 * JSON; and the engine of the table that `writeDurably` writes to.
 */
export type Found = Readonly<Record<'setting' | 'kind' | 'key' | 'columns' | 'syncEngine', string | null>> & {
  readonly name: string;
  readonly bytes: bigint;
};

const faultsOfEngine = (table: string, engine: string | null) =>
  engine === 'InnoDB'
    ? []
    : [`${table} is of the engine ${engine}, which syncs no commit: run ALTER TABLE … ENGINE = InnoDB`];

/** What would lose or change plants, or refuse good ones. */
export function faultsOf({ kind, syncEngine, key, columns }: Found): readonly string[] {
  if (kind === 'VIEW') return ['it is a view: if its table has the plants, drop it and rename the table to plants'];
  // MariaDB has a number of digits, which means nothing, and the attribute COMPRESSED, which changes nothing.
  const typeOf = ({ type }: Column) =>
    type.replace(/(?<=^bigint)\(\d+\)$| \/\*.*\*\//, '').replace(/^mediumtext/, 'longtext');
  const all: readonly Column[] = JSON.parse(columns ?? '[]');
  // System versioning adds a column of its own to the key.
  const generated = all.filter(({ isGenerated }) => isGenerated).map(({ name }) => name);
  const keyed = key?.split(',').filter((name) => !generated.includes(name) || name === 'id');
  return [
    ...faultsOfEngine('plants', kind),
    ...faultsOfEngine('plant_store_sync', syncEngine ?? 'InnoDB'),
    ...(keyed?.join() === 'id' ? [] : ['its primary key is not id alone: make it that']),
    ...columnFaults(
      all.map((column) => ({ ...column, type: typeOf(column) })),
      types,
    ),
  ];
}

const text = 'longtext character set utf8mb4';
const types = { id: 'bigint', name: text, tag: text };

const ofPlants = "table_schema = database() and table_name = 'plants'";

/** By `=` alone: where it is not the whole name, a server opens every table. An ENUM has its first value by default. */
export const CATALOGUE = `select
  case when @@innodb_flush_log_at_trx_commit <> 1 then 'innodb_flush_log_at_trx_commit'
    when @@log_bin and @@sync_binlog <> 1 then 'sync_binlog'
    when concat(@@read_only) not in ('0', 'OFF') then 'read_only' end as setting,
  @@max_allowed_packet as bytes, concat(database(), '.plants') as name,
  (select if(table_type = 'VIEW', 'VIEW', engine) from information_schema.tables where ${ofPlants}) as kind,
  (select engine from information_schema.tables
    where table_schema = database() and table_name = 'plant_store_sync') as syncEngine,
  (select group_concat(column_name order by seq_in_index) from information_schema.statistics
    where ${ofPlants} and index_name = 'PRIMARY') as \`key\`,
  (select concat(json_arrayagg(json_object(
      'name', column_name, 'type', concat_ws(' character set ', column_type, character_set_name),
      'isNotNull', is_nullable = 'NO', 'isGenerated', extra like '% GENERATED%',
      'hasDefault', column_default is not null or extra like '%auto_increment%' or data_type = 'enum')))
    from information_schema.columns where ${ofPlants}) as columns`;
