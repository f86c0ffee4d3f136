import { nullableColumns } from './rows.ts';

/** A column, as an engine's catalogue describes it. */
export interface Column {
  readonly name: string;
  /** The type as in CREATE TABLE, such as `character varying(10)`. */
  readonly type: string;
  readonly isNotNull: boolean;
  /** Whether the column gets a value if an INSERT omits it. */
  readonly hasDefault: boolean;
  /** Whether an INSERT must omit it. */
  readonly isGenerated: boolean;
}

/**
 * Finds why a table would lose, change or reject plants. Extra columns are allowed if an INSERT can omit them.
 *
 * @param types the types of a plant's columns, as the migrations create them; see `columnTypes`.
 * @returns one message for each fault, with what to do.
 */
export function columnFaults(columns: readonly Column[], types: Readonly<Record<string, string>>): readonly string[] {
  const missing = Object.keys(types).filter((name) => !columns.some((column) => column.name === name));
  return [
    ...missing.map((name) => `the column ${name} is missing: add it`),
    ...columns.flatMap((column) => faultOf(column, types[column.name]) ?? []),
  ];
}

/** @param expected the column's type; undefined for an extra column. */
function faultOf({ name, type, isNotNull, hasDefault, isGenerated }: Column, expected: string | undefined) {
  if (expected === undefined)
    return isNotNull && !hasDefault && !isGenerated
      ? `the column ${name} is NOT NULL and has no default, so every plant is rejected: give it a default`
      : undefined;
  if (type !== expected) return `the column ${name} is of the type ${type}, not ${expected}: change its type`;
  if (isGenerated) return `the column ${name} is generated: make it an ordinary column`;
  return nullableColumns.includes(name) && isNotNull
    ? `the column ${name} is NOT NULL, so plants without a ${name} are rejected: drop NOT NULL`
    : undefined;
}

/** The message about a store's own table. @param table its full name. @param faults at least one. */
export function unfitTableMessage(table: string, faults: readonly string[]): string {
  return `the table ${table} cannot store plants: ${faults.join('; ')}`;
}

/** The message about a table that existed before the migrations and has the wrong shape. */
export function foreignTableMessage(table: string, faults: readonly string[]): string {
  // Without the advice to change it, because the table may belong to another application.
  const differences = faults.map((fault) => fault.replace(/: .*/s, '')).join('; ');
  return `plant-store did not create the table ${table}, which cannot store plants: ${differences}. Give plant-store a database or schema of its own`;
}

/** The message about a table that existed before the migrations and has the right shape, as after a partial restore. */
export function adoptedTableMessage(table: string): string {
  return `the table ${table} existed before the migrations and has the right columns: its plants are kept`;
}
