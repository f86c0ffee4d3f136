import { StoreMisconfigured } from '@plant-store/domain';
import { type Column, columnFaults, MIGRATION_TABLE } from '@plant-store/store-kit';
import pg from 'pg';

/** A table, view or the like that is called `plants`, as the catalogue has it. */
export interface FoundTable {
  readonly oid: string;
  readonly schema: string;
  /** Whether the search path has the schema by default, and not only in the session; true for a schema that was asked for. */
  readonly isInPath: boolean;
  /** Whether the table of migrations is beside it. */
  readonly isMigrated: boolean;
  /** `pg_class.relkind`. */
  readonly kind: string;
  readonly columns: readonly Column[];
  /** Whether a unique index holds the ids apart. */
  readonly hasKey: boolean;
  /** Whether tables inherit from it that are no partitions. */
  readonly hasChildren: boolean;
  /** The first of it and its partitions that a crash empties. A partition cannot be foreign: its parent would have no primary key. */
  readonly unlogged: string | null;
  /** The first rule for INSERT or UPDATE. */
  readonly rule: string | null;
  /** Commands that row security allows this user for no row. */
  readonly commandsWithoutPolicy: readonly string[] | null;
  readonly isDistributed: boolean;
  readonly encoding: string;
}

/**
 * The table of plants: the one beside the table of migrations, or the only one that can keep plants.
 *
 * @throws {StoreMisconfigured} if there are several, of which one would hide the plants of the other, or if it is to be seen in
 *   this session alone.
 */
export function singleTable(tables: readonly FoundTable[]): FoundTable | undefined {
  const migrated = tables.filter(({ isMigrated }) => isMigrated);
  const fit = tables.filter((table) => faultsOf(table).length === 0);
  const [table = tables.find(({ isInPath }) => isInPath), another] = migrated.length > 0 ? migrated : fit;
  if (table && another)
    throw new StoreMisconfigured(
      `PostgreSQL: the search path has both ${nameOf(table)} and ${nameOf(another)}: leave the schema with the plants in it (ALTER ROLE … SET search_path, or options in the URL)`,
    );
  if (table?.isInPath === false)
    throw new StoreMisconfigured(
      `PostgreSQL: ${nameOf(table)} is in the search path of this session alone, which a pooler may change: ALTER ROLE … SET search_path`,
    );
  return table;
}

/** For messages. */
export const nameOf = ({ schema }: FoundTable): string => `${schema}.plants`;

/** What would lose or change plants, or refuse good ones. */
export function faultsOf(table: FoundTable): readonly string[] {
  const { kind, columns, hasKey, hasChildren, unlogged, rule, commandsWithoutPolicy } = table;
  const isTable = kind === 'r' || kind === 'p';
  const found: readonly (string | false | null)[] = [
    faultOfEncoding(table.encoding),
    !isTable && 'it is not a table: if it is a view, drop it and rename the table with the plants to plants',
    unlogged && `${unlogged} is not logged, so a crash of the server empties it: run ALTER TABLE … SET LOGGED`,
    isTable &&
      !hasKey &&
      'its primary key is not id alone, and immediate: drop another one, and run ALTER TABLE … ADD PRIMARY KEY (id)',
    hasChildren && 'tables inherit from it, whose ids its primary key does not cover: use partitions',
    rule && `it has the rule ${rule}: use a trigger`,
    commandsWithoutPolicy &&
      `row security is on, and no policy lets the user ${commandsWithoutPolicy.join(' and ')}: create one for each, or plants are refused, or a retry is never answered`,
  ];
  return [
    ...found.filter((fault) => fault !== false && fault !== null),
    ...(isTable ? columnFaults(columns.map(withoutVarchar), { id: 'bigint', name: 'text', tag: 'text' }) : []),
  ];
}

/** SQL_ASCII keeps the bytes as they are. */
export const faultOfEncoding = (encoding: string): string | false =>
  !['UTF8', 'SQL_ASCII'].includes(encoding) &&
  `the database has the encoding ${encoding}, which lacks characters: make one with ENCODING 'UTF8'`;

/** Without a length it is `text`. */
const withoutVarchar = (column: Column): Column =>
  column.type === 'character varying' ? { ...column, type: 'text' } : column;

/**
 * @param schema by default each that is in the search path, or was in that of the session ({@link OWN_SETTINGS}); that of temporary
 *   tables never is.
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
 * Puts the server's own settings for the user in place of what others have set in the session, until the transaction ends, and notes
 * the search path that the session had.
 */
export const OWN_SETTINGS = `select set_config('plant_store.path', current_schemas(false)::text, true);
  set local search_path to default; set local synchronous_commit to default; set local quote_all_identifiers to off`;
