import { StoreUnavailable } from '@plant-store/domain';
import { type Column, columnFaults, columnTypes, StoreUnsafe, unfitTableMessage } from '@plant-store/store-kit';
import type { Session } from './database.ts';

/**
 * Checks that the server's commits are durable and that the table can store every plant. A session cannot override these settings.
 *
 * @param timeoutMs the timeout of each statement.
 * @returns the row of the table.
 * @throws {StoreUnsafe} with the object and what to do; {@link StoreUnavailable} if the server is read-only; the server's error if
 *   the table does not exist.
 */
export async function checkSession(session: Session, timeoutMs: number): Promise<Found> {
  const [found] = (await session.query(CATALOGUE, [], timeoutMs)) as [Found];
  const { setting, kind, name, bytes } = found;
  if (setting === 'read_only') throw new StoreUnavailable('MySQL: the server is read-only: connect to the primary');
  if (setting)
    throw new StoreUnsafe(
      `MySQL: ${setting} is not 1, so a crash of the server loses what was acknowledged: set it to 1 (SET GLOBAL ${setting} = 1, and in the server's configuration file)`,
    );
  if (kind === null) {
    // Fails with the reason: the table is missing, damaged or locked, or the user lacks a privilege.
    await session.query('select 1 from plants where false', [], timeoutMs);
    throw new StoreUnavailable('MySQL: another session was changing the table plants');
  }
  const faults = faultsOf(found);
  if (faults.length > 0) throw new StoreUnsafe(`MySQL: ${unfitTableMessage(name, faults)}`);
  session.maxAllowedPacket = Number(bytes);
  return found;
}

/**
 * Makes a function that returns the identity of the table that was found. It changes with the time at which a server created the table,
 * which a rebuild changes as well. A server that was not seen before, as after a failover, does not change it, because each has a time of
 * its own.
 */
export function tableIdentity(): (found: Found) => string {
  const createdOn = new Map<string, string | null>();
  let identity = '';
  return ({ server, created }) => {
    const before = createdOn.get(server) ?? created;
    createdOn.set(server, created ?? before);
    if (created !== null && created !== before) identity = `${server} ${created}`;
    return identity;
  };
}

/** The row of {@link CATALOGUE}. */
export interface Found {
  /** The first setting of the server that is wrong. */
  readonly setting: string | null;
  /** Identifies the server. */
  readonly server: string;
  /** When the table was created, altered or renamed, in seconds; null if another session is changing it. */
  readonly created: string | null;
  /** The maximum length of a statement. */
  readonly bytes: bigint;
  /** The qualified name of the table of plants. */
  readonly name: string;
  /** Its engine, or `VIEW`; null if it is not visible. */
  readonly kind: string | null;
  /** The columns of its primary key, comma-separated. */
  readonly key: string | null;
  /** Its columns as JSON. */
  readonly columns: string | null;
  /** The engine of the table that `writeDurably` writes to. */
  readonly syncEngine: string | null;
}

const faultsOfEngine = (table: string, engine: string | null) =>
  engine === 'InnoDB'
    ? []
    : [`${table} has the engine ${engine}, whose commits are not durable: run ALTER TABLE … ENGINE = InnoDB`];

/** Finds why the table would lose, change or reject plants. @returns one message for each fault, with what to do. */
export function faultsOf({ kind, syncEngine, key, columns }: Found): readonly string[] {
  if (kind === 'VIEW') return ['it is a view: if its table has the plants, drop it and rename the table to plants'];
  // A display width and MariaDB's attribute COMPRESSED do not change the values of a type.
  const typeOf = ({ type }: Column) =>
    type.replace(/(?<=^bigint)\(\d+\)$| \/\*.*\*\//, '').replace(/^mediumtext/, 'longtext');
  const all: readonly Column[] = JSON.parse(columns ?? '[]');
  // System versioning adds a generated column to the primary key.
  const generated = all.filter(({ isGenerated }) => isGenerated).map(({ name }) => name);
  const keyed = key?.split(',').filter((name) => !generated.includes(name) || name === 'id');
  return [
    ...faultsOfEngine('plants', kind),
    ...faultsOfEngine('plant_store_sync', syncEngine ?? 'InnoDB'),
    ...(keyed?.join() === 'id' ? [] : ['its primary key is not id alone: change its primary key']),
    ...columnFaults(
      all.map((column) => ({ ...column, type: typeOf(column) })),
      types,
    ),
  ];
}

const text = 'longtext character set utf8mb4';
const types = columnTypes('bigint', text);

const isPlants = "table_schema = database() and table_name = 'plants'";

/** Compares names with `=` only, because the server opens every table for other conditions. An ENUM defaults to its first value. */
export const CATALOGUE = `select
  case when @@innodb_flush_log_at_trx_commit <> 1 then 'innodb_flush_log_at_trx_commit'
    when @@log_bin and @@sync_binlog <> 1 then 'sync_binlog'
    when concat(@@read_only) not in ('0', 'OFF') then 'read_only' end as setting,
  @@max_allowed_packet as bytes, concat(database(), '.plants') as name,
  concat_ws(' ', @@hostname, @@port, @@global.server_id) as server,
  (select concat(unix_timestamp(create_time)) from information_schema.tables where ${isPlants}) as created,
  (select if(table_type = 'VIEW', 'VIEW', engine) from information_schema.tables where ${isPlants}) as kind,
  (select engine from information_schema.tables
    where table_schema = database() and table_name = 'plant_store_sync') as syncEngine,
  (select group_concat(column_name order by seq_in_index) from information_schema.statistics
    where ${isPlants} and index_name = 'PRIMARY') as \`key\`,
  (select concat(json_arrayagg(json_object(
      'name', column_name, 'type', concat_ws(' character set ', column_type, character_set_name),
      'isNotNull', is_nullable = 'NO', 'isGenerated', extra like '% GENERATED%',
      'hasDefault', column_default is not null or extra like '%auto_increment%' or data_type = 'enum')))
    from information_schema.columns where ${isPlants}) as columns`;
