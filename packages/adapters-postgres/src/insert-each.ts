import type { PlantRefused } from '@plant-store/domain';
import { type AnyResult, type Table, type Tables, valueIn } from '@plant-store/sql-store';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import pg from 'pg';
import { NOT_OF_PLANTS, plantRefused } from './errors.ts';
import { typeOf } from './statements.ts';

/** The outcome of inserting records. One in neither has a key that is taken or locked. */
export interface Inserted<Key> {
  readonly keys: ReadonlySet<Key>;
  /** The records that the server refused, with its error. */
  readonly refused: ReadonlyMap<Key, PlantRefused>;
}

/**
 * Makes the function that inserts records, each on its own, with three statements and one commit however many are refused or locked. The server
 * does it in a loop (`DO`), where a refusal rolls back its own record alone. The halves of group-commit would find one refused
 * record among 500 with some 18 statements and commits, and ten with 100.
 *
 * @throws what PostgreSQL reports of anything but a record that is refused; then none was inserted.
 */
export function insertEachInto<Item extends object, Key extends bigint | string>(
  table: Table<Item, Key, AnyResult>,
  db: Kysely<Tables>,
) {
  const { name, columns, keyFrom } = table;
  const loop = CompiledQuery.raw(loopOver(table));

  /** Numbers as texts: JSON's own have no NaN, and JSON.stringify refuses bigints. */
  function jsonOf(items: readonly Item[]): string {
    const rows = items.map((item) => columns.map((column) => valueIn(item, column)));
    return JSON.stringify(rows, (_, value) =>
      typeof value === 'bigint' || typeof value === 'number' ? String(value) : value,
    );
  }

  return async (items: readonly Item[]): Promise<Inserted<Key>> => {
    if (items.length === 0) return { keys: new Set(), refused: new Map() };
    return db.transaction().execute(async (transaction) => {
      await sql`select set_config(${`plant_store.${name}`}, ${jsonOf(items)}, true),
      set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`.execute(transaction);
      await transaction.executeQuery(loop);
      const { rows } = await sql<Outcome>`
      select outcome ->> 0 as key, outcome ->> 1 as code, outcome ->> 2 as message
      from json_array_elements(current_setting('plant_store.outcomes')::json) as outcome`.execute(transaction);
      return {
        keys: new Set(rows.flatMap((row) => (row.code === null ? [keyFrom(row.key)] : []))),
        refused: new Map(rows.flatMap((row) => (row.code === null ? [] : [[keyFrom(row.key), refusal(row)]]))),
      };
    });
  };
}

/** 1 ms, the minimum: up to a batch of locked rows wait one after the other, and are tried again later. */
const LOCK_TIMEOUT_MS = 1;

/**
 * A `DO` has neither parameters nor a result: settings of the transaction carry both. It tells refused records
 * as `refusesPlant` does; where row-level security is active, a user who may insert lacks a privilege for a row alone. A trigger that returns null skips the row.
 */
function loopOver({ name, noun, key, columns }: Omit<Table<unknown, bigint | string, AnyResult>, 'sorted'>): string {
  const read = columns.map((column, at) => {
    const text = `value ->> ${at}`;
    return `${column.type === 'text' ? text : `(${text})::${typeOf(column)}`} as ${column.name}`;
  });
  return `
  do $$
  declare
    ${noun} record;
    outcomes jsonb := '[]';
  begin
    for ${noun} in
      select ${read.join(', ')}
      from json_array_elements(current_setting('plant_store.${name}')::json)
    loop
      begin
        insert into ${name} (${columns.map((column) => column.name).join(', ')})
          values (${columns.map((column) => `${noun}.${column.name}`).join(', ')}) on conflict (${key.name}) do nothing;
        if found then outcomes := outcomes || jsonb_build_array(jsonb_build_array(${noun}.${key.name}));
        elsif not exists (select from ${name} where ${name}.${key.name} = ${noun}.${key.name}) then
          raise exception 'the table ${name} ignores the ${noun}: see its triggers';
        end if;
      exception when lock_not_available then null;
      when others then
        if left(sqlstate, 2) in (${NOT_OF_PLANTS.map((each) => `'${each}'`).join()})
          and not (sqlstate = '42501' and row_security_active('${name}') and has_table_privilege('${name}', 'INSERT'))
          then raise; end if;
        outcomes := outcomes || jsonb_build_array(jsonb_build_array(${noun}.${key.name}, sqlstate, sqlerrm));
      end;
    end loop;
    perform set_config('plant_store.outcomes', outcomes::text, true);
  end $$`;
}

interface Refusal {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

/** Of a record that was tried. */
type Outcome = Refusal | { readonly key: string; readonly code: null };

function refusal({ code, message }: Refusal): PlantRefused {
  return plantRefused(Object.assign(new pg.DatabaseError(message, 0, 'error'), { code }));
}
