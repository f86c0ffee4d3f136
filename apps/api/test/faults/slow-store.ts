import type { DedicatedStore } from './dedicated-store.ts';

/** Delays every statement that stores plants. The table must exist. */
export function slowStatements(store: DedicatedStore, ms: number): Promise<unknown> {
  return slow(store, ms, 'STATEMENT');
}

/** Delays every plant. The table must exist. */
export function slowPlants(store: DedicatedStore, ms: number): Promise<unknown> {
  return slow(store, ms, 'ROW');
}

async function slow({ sql }: DedicatedStore, ms: number, each: 'STATEMENT' | 'ROW'): Promise<unknown> {
  await sql(
    `CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${ms / 1_000}); RETURN NEW; END'`,
  );
  return sql(`CREATE TRIGGER slow BEFORE INSERT ON plants FOR EACH ${each} EXECUTE FUNCTION be_slow()`);
}
