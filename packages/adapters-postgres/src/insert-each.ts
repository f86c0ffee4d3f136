import { type NewPlant, type PlantRefused, textFields } from '@plant-store/domain';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import pg from 'pg';
import { NOT_OF_PLANTS, plantRefused } from './errors.ts';
import type { Schema } from './schema.ts';

/** The outcome of inserting plants. A plant in neither has an id that is taken or locked. */
export interface Inserted {
  readonly ids: ReadonlySet<bigint>;
  /** The plants that the server refused, with its error. */
  readonly refused: ReadonlyMap<bigint, PlantRefused>;
}

/**
 * Inserts plants, each on its own, with three statements and one commit however many are refused or locked. The server
 * does it in a loop (`DO`), where a refusal rolls back its own plant alone. The halves of group-commit would find one refused
 * plant among 500 with some 18 statements and commits, and ten with 100.
 *
 * @throws what PostgreSQL reports of anything but a plant that is refused; then none was inserted.
 */
export async function insertEach(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<Inserted> {
  if (plants.length === 0) return { ids: new Set(), refused: new Map() };
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('plant_store.plants', ${jsonOf(plants)}, true),
      set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`.execute(transaction);
    await transaction.executeQuery(loop);
    const { rows } = await sql<Outcome>`
      select (outcome ->> 0)::int8 as id, outcome ->> 1 as code, outcome ->> 2 as message
      from json_array_elements(current_setting('plant_store.outcomes')::json) as outcome`.execute(transaction);
    return {
      ids: new Set(rows.flatMap(({ id, code }) => (code === null ? [id] : []))),
      refused: new Map(rows.flatMap((row) => (row.code === null ? [] : [[row.id, refusal(row)]]))),
    };
  });
}

/** Built by hand, because JSON.stringify refuses bigints: JSON itself has integers of any size. */
function jsonOf(plants: readonly NewPlant[]): string {
  const rows = plants.map(
    (plant) => `[${[plant.id, ...textFields.map((field) => JSON.stringify(plant[field] ?? null))].join()}]`,
  );
  return `[${rows.join()}]`;
}

/** 1 ms, the minimum: up to a batch of locked rows wait one after the other, and are tried again later. */
const LOCK_TIMEOUT_MS = 1;

/**
 * A `DO` has neither parameters nor a result: settings of the transaction carry both. It tells refused plants
 * as `refusesPlant` does; where row-level security is active, a user who may insert lacks a privilege for a row alone. A trigger that returns null skips the row.
 */
const loop = CompiledQuery.raw(`
  do $$
  declare
    plant record;
    outcomes jsonb := '[]';
  begin
    for plant in
      select (value ->> 0)::int8 as id, ${textFields.map((field, at) => `value ->> ${at + 1} as ${field}`).join(', ')}
      from json_array_elements(current_setting('plant_store.plants')::json)
    loop
      begin
        insert into plants (id, ${textFields.join(', ')})
          values (plant.id, ${textFields.map((field) => `plant.${field}`).join(', ')}) on conflict (id) do nothing;
        if found then outcomes := outcomes || jsonb_build_array(jsonb_build_array(plant.id));
        elsif not exists (select from plants where plants.id = plant.id) then
          raise exception 'the table plants ignores the plant: see its triggers';
        end if;
      exception when lock_not_available then null;
      when others then
        if left(sqlstate, 2) in (${NOT_OF_PLANTS.map((each) => `'${each}'`).join()})
          and not (sqlstate = '42501' and row_security_active('plants') and has_table_privilege('plants', 'INSERT'))
          then raise; end if;
        outcomes := outcomes || jsonb_build_array(jsonb_build_array(plant.id, sqlstate, sqlerrm));
      end;
    end loop;
    perform set_config('plant_store.outcomes', outcomes::text, true);
  end $$`);

interface Refusal {
  readonly id: bigint;
  readonly code: string;
  readonly message: string;
}

/** Of a plant that was tried. */
type Outcome = Refusal | { readonly id: bigint; readonly code: null };

function refusal({ code, message }: Refusal): PlantRefused {
  return plantRefused(Object.assign(new pg.DatabaseError(message, 0, 'error'), { code }));
}
