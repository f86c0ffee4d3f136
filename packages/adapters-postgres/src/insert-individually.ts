import { columnTypes, type PlantRow, plantColumns } from '@plant-store/store-kit';
import type { Failures } from '@plant-store/store-kit/sql';
import pg from 'pg';
import type { PlantTable } from './table.ts';

/**
 * Returns a message that inserts rows one by one, each in its own subtransaction, with one commit. Savepoints of the client take
 * several round trips for each plant that is rejected. By default every user may use PL/pgSQL.
 *
 * The lock timeout is PostgreSQL's minimum. The statement timeout ends the block at the deadline, a time of `performance.now()`.
 * The plants are part of the message, so the server logs them if the message fails.
 */
export function insertIndividuallySql(
  rows: readonly PlantRow[],
  { schema, synchronousCommit }: PlantTable,
  deadline: number,
): string {
  const plants = JSON.stringify(rows.map(({ id, ...texts }) => ({ id: String(id), ...texts })));
  const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
  // A deferred constraint would fail the commit of all rows.
  return `begin isolation level read committed; set constraints all immediate; set local statement_timeout = ${leftMs};
    set local synchronous_commit = ${synchronousCommit}; set local client_min_messages = warning;
    select set_config('lock_timeout', '1', true), set_config('plant_store.plants', ${pg.escapeLiteral(plants)}, true);
    do ${pg.escapeLiteral(insertEach(`${pg.escapeIdentifier(schema)}.plants`))};
    select current_setting('plant_store.failures') as failures;
    commit`;
}

const DEFINITIONS = Object.entries(columnTypes('int8', 'text')).map((column) => column.join(' '));

const insertEach = (table: string) => `
  declare
    plant record;
    failures jsonb := '[]';
    context text;
    refused_column text;
    violated text;
    violated_schema text;
  begin
    for plant in
      select * from jsonb_to_recordset(current_setting('plant_store.plants')::jsonb) as plants(${DEFINITIONS})
    loop
      begin
        insert into ${table} (${plantColumns}) values (${plantColumns.map((name) => `plant.${name}`)}) on conflict (id) do nothing;
        if not found then
          failures := failures || jsonb_build_array(jsonb_build_object('id', plant.id::text, 'reason',
            case when exists (select from ${table} where id = plant.id) then 'taken' else 'ignored' end));
        end if;
      exception when others then
        -- Savepoints can tell whether a policy rejected the row or the user lacks a privilege.
        if sqlstate = '42501' then raise; end if;
        get stacked diagnostics context = pg_exception_context, refused_column = column_name,
          violated = constraint_name, violated_schema = schema_name;
        failures := failures || jsonb_build_array(jsonb_build_object('id', plant.id::text, 'code', sqlstate,
          'message', sqlerrm, 'column', nullif(refused_column, ''),
          'schema', violated_schema, 'constraint', violated, 'raised', split_part(context, e'\\n', 1) like '%RAISE'));
      end;
    end loop;
    perform set_config('plant_store.failures', failures::text, true);
  end`;

/** Reads the failures from the results of that message. */
export function failuresIn(results: unknown): Failures {
  const rows = (results as readonly { readonly rows: readonly { readonly failures?: string }[] }[]).flatMap(
    (each) => each.rows,
  );
  const failures: readonly Failure[] = JSON.parse(rows.find((row) => row.failures !== undefined)?.failures ?? '[]');
  return new Map(failures.map((failure) => [BigInt(failure.id), failure.reason ?? databaseError(failure)]));
}

interface Failure {
  readonly id: string;
  readonly reason?: 'taken' | 'ignored';
  readonly code?: string;
  readonly message?: string;
  readonly column?: string | null;
  readonly schema?: string;
  readonly constraint?: string;
  readonly raised?: boolean;
}

/** Makes the error that pg would throw, so that `postgresErrors` can classify it. */
function databaseError({ code = '', message = '', column, schema, constraint, raised }: Failure): Error {
  const routine = raised ? 'exec_stmt_raise' : undefined;
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), {
    code,
    routine,
    column: column ?? undefined,
    schema,
    constraint,
  });
}
