import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import {
  type Column,
  columnFaults,
  columnTypes,
  MIGRATION_TABLE,
  NOT_MIGRATED,
  StoreUnsafe,
  unfitTableMessage,
} from '@plant-store/store-kit';
import pg from 'pg';
import type { Session } from './database.ts';

/**
 * The table of plants of a store. It is found once, by the search path that the server sets for the user. Later statements name its
 * schema, because other clients of a pooler may change a session's search path.
 */
export class PlantTable {
  #found: Pick<FoundTable, 'schema' | 'oid'> | undefined;
  #synchronousCommit = 'on';

  /** The schema of the table. @throws {StoreUnavailable} before the table has been found. */
  get schema(): string {
    return this.#get().schema;
  }

  /** The oid of the table. @throws {StoreUnavailable} before the table has been found. */
  get oid(): string {
    return this.#get().oid;
  }

  #get(): Pick<FoundTable, 'schema' | 'oid'> {
    if (this.#found) return this.#found;
    throw new StoreUnavailable(`PostgreSQL: ${NOT_MIGRATED}`);
  }

  /** The `synchronous_commit` that the server sets for the user, or `on` if that is `off`. */
  get synchronousCommit(): string {
    return this.#synchronousCommit;
  }

  /**
   * Finds the table and checks whether it can store every plant.
   *
   * @param timeoutMs the timeout of the query, because a pooler accepts connections even if its database hangs.
   * @param mayBeDistributed whether Citus may distribute the table.
   * @returns the table.
   * @throws {StoreUnsafe} with the object and what to do; {@link StoreUnavailable} if the table does not exist.
   */
  async check(session: Session, timeoutMs: number, mayBeDistributed = false): Promise<FoundTable> {
    const table = await this.find(session, timeoutMs);
    const faults = [
      ...(table.isDistributed && !mayBeDistributed
        ? ['Citus distributes it: use a URL that begins with citus://']
        : []),
      ...faultsOf(table),
    ];
    if (faults.length > 0) throw new StoreUnsafe(`PostgreSQL: ${unfitTableMessage(nameOf(table), faults)}`);
    this.#found = table;
    return table;
  }

  /** Finds the table. @throws {StoreMisconfigured} if there are several; {@link StoreUnavailable} if there is none. */
  async find(session: Session, timeoutMs: number): Promise<FoundTable> {
    // One message is one transaction, whose end resets the settings. pg returns a result for each statement.
    const results: unknown = await session.query({
      text: `${RESET_SETTINGS};
        select current_setting('synchronous_commit') as commits, coalesce(json_agg(found), '[]') as tables
        from (${tablesIn(this.#found?.schema)}) as found`,
      query_timeout: timeoutMs,
    });
    const { rows } = (results as readonly { readonly rows: readonly [Found] }[]).at(-1) as { rows: readonly [Found] };
    const [{ commits, tables }] = rows;
    this.#synchronousCommit = commits === 'off' ? 'on' : commits;
    const table = singleTable(tables);
    if (!table)
      throw new StoreUnavailable(
        `PostgreSQL: ${this.#found ? 'the table plants was dropped: restore it' : NOT_MIGRATED}`,
      );
    return table;
  }
}

interface Found {
  readonly commits: string;
  readonly tables: readonly FoundTable[];
}

/** A relation named `plants`, as the catalogue describes it. */
export interface FoundTable {
  readonly oid: string;
  readonly schema: string;
  /** Whether the user's default search path has the schema, and not only that of the session. True if the schema was given. */
  readonly isInPath: boolean;
  /** Whether its schema has the migration table. */
  readonly isMigrated: boolean;
  /** `pg_class.relkind`. */
  readonly kind: string;
  readonly columns: readonly Column[];
  /** Whether a unique, immediate and complete index has `id` as its only column. */
  readonly hasKey: boolean;
  /** Whether tables inherit from it, apart from partitions. */
  readonly hasChildren: boolean;
  /** The first table among it and its partitions that a crash empties. */
  readonly unlogged: string | null;
  /** The first rule for INSERT or UPDATE. */
  readonly rule: string | null;
  /** The commands for which no policy of row security applies to this user. */
  readonly commandsWithoutPolicy: readonly string[] | null;
  readonly isDistributed: boolean;
  readonly encoding: string;
}

/**
 * Selects the table of plants: the one beside the migration table, otherwise the only one that can store plants.
 *
 * @throws {StoreMisconfigured} if there are several, because one would hide the plants of the other, or if only the search path
 *   of this session leads to it.
 */
export function singleTable(tables: readonly FoundTable[]): FoundTable | undefined {
  const migrated = tables.filter(({ isMigrated }) => isMigrated);
  const fit = tables.filter((table) => faultsOf(table).length === 0);
  const [table = tables.find(({ isInPath }) => isInPath), another] = migrated.length > 0 ? migrated : fit;
  if (table && another)
    throw new StoreMisconfigured(
      `PostgreSQL: the search path has both ${nameOf(table)} and ${nameOf(another)}: keep only the schema that has the plants (ALTER ROLE … SET search_path, or options in the URL)`,
    );
  if (table?.isInPath === false)
    throw new StoreMisconfigured(
      `PostgreSQL: ${nameOf(table)} is only in the search path of this session, which a pooler may change: run ALTER ROLE … SET search_path`,
    );
  return table;
}

/** The qualified name for messages. */
export const nameOf = ({ schema }: FoundTable): string => `${schema}.plants`;

/** Finds why the table would lose, change or reject plants. @returns one message for each fault, with what to do. */
export function faultsOf(table: FoundTable): readonly string[] {
  const { kind, columns, hasKey, hasChildren, unlogged, rule, commandsWithoutPolicy } = table;
  const isTable = kind === 'r' || kind === 'p';
  const found: readonly (string | false | null)[] = [
    faultOfEncoding(table.encoding),
    !isTable && 'it is not a table: if it is a view, drop it and rename the table with the plants to plants',
    unlogged && `${unlogged} is unlogged, so a crash of the server empties it: run ALTER TABLE … SET LOGGED`,
    isTable &&
      !hasKey &&
      'its primary key is not id alone and immediate: drop any other, and run ALTER TABLE … ADD PRIMARY KEY (id)',
    hasChildren && 'tables inherit from it, and its primary key does not cover their ids: use partitions',
    rule && `it has the rule ${rule}: use a trigger`,
    commandsWithoutPolicy &&
      `row security is on, and no policy allows the user to ${commandsWithoutPolicy.join(' and ')}: create a policy for each of these commands`,
  ];
  return [
    ...found.filter((fault) => fault !== false && fault !== null),
    ...(isTable ? columnFaults(columns.map(withoutVarchar), columnTypes('bigint', 'text')) : []),
  ];
}

/** Returns the fault of an encoding that cannot store every text. SQL_ASCII stores bytes unchanged. */
export const faultOfEncoding = (encoding: string): string | false =>
  !['UTF8', 'SQL_ASCII'].includes(encoding) &&
  `the database has the encoding ${encoding}, which lacks characters: create one with ENCODING 'UTF8'`;

/** `varchar` without a length is the same as `text`. */
const withoutVarchar = (column: Column): Column =>
  column.type === 'character varying' ? { ...column, type: 'text' } : column;

/**
 * Returns the query for the relations named `plants`. Temporary tables do not count.
 *
 * @param schema the schema to search. By default all of the search path, and those that the session had in it before
 *   {@link RESET_SETTINGS}.
 */
export function tablesIn(schema?: string): string {
  return `select pg_class.oid::text, nspname as schema, relkind as kind, ${schema === undefined ? 'nspname = any (current_schemas(false))' : 'true'} as "isInPath",
    to_regclass(quote_ident(nspname) || '.${MIGRATION_TABLE}') is not null as "isMigrated",
    (select coalesce(json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
        'isNotNull', attnotnull or typnotnull, 'hasDefault', atthasdef or attidentity <> '' or typdefault is not null
          -- A BEFORE INSERT trigger may fill it.
          or exists (select from pg_trigger where tgrelid = pg_class.oid and tgtype & 7 = 7 and tgenabled <> 'D'),
        'isGenerated', attgenerated <> '' or attidentity = 'a')), '[]')
      from pg_attribute join pg_type on pg_type.oid = atttypid
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped) as columns,
    exists (select from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
      where indrelid = pg_class.oid and attname = 'id' and indnkeyatts = 1 and indpred is null
        and indisunique and indisvalid and indimmediate) as "hasKey",
    relkind = 'r' and exists (select from pg_inherits where inhparent = pg_class.oid) as "hasChildren",
    (select min(part::text)
      from unnest(array(select relid from pg_partition_tree(pg_class.oid)) || pg_class.oid::regclass) as part
      where (select relpersistence from pg_class where oid = part) <> 'p') as unlogged,
    (select min(rulename) from pg_rewrite where ev_class = pg_class.oid and ev_type in ('2', '3') and ev_enabled <> 'D') as rule,
    (select json_agg(command) from (values ('r', 'SELECT'), ('a', 'INSERT'), ('w', 'UPDATE')) as needed(letter, command)
      where row_security_active(pg_class.oid) and not exists (select from pg_policy
        where polrelid = pg_class.oid and polpermissive and polcmd in (letter::"char", '*') and exists (
          select from unnest(polroles) as role where role = 0 or pg_has_role(role, 'usage')))) as "commandsWithoutPolicy",
    exists (select from pg_trigger join pg_proc on pg_proc.oid = tgfoid
      where tgrelid = pg_class.oid and proname = 'citus_truncate_trigger') as "isDistributed",
    current_setting('server_encoding') as encoding
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relname = 'plants' and relkind in ('r', 'p', 'v', 'm', 'f')
    and nspname = ${schema === undefined ? "any (current_schemas(false) || current_setting('plant_store.path')::name[])" : pg.escapeLiteral(schema)}
  order by array_position(current_schemas(false), nspname)`;
}

/**
 * Resets settings to those of the user until the transaction ends, because other clients of a pooler may have changed them. It saves
 * the search path of the session in `plant_store.path`.
 */
export const RESET_SETTINGS = `select set_config('plant_store.path', current_schemas(false)::text, true);
  set local search_path to default; set local synchronous_commit to default; set local quote_all_identifiers to off`;
