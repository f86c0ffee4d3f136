import type { NewPlant } from '@plant-store/domain';

/** A column, as the catalogue of an engine describes it. */
export interface Column {
  readonly name: string;
  /** As CREATE TABLE would have it, such as `character varying(10)`. */
  readonly type: string;
  readonly isNotNull: boolean;
  /** Whether an INSERT that leaves it out gives it a value, by a default or a sequence. */
  readonly hasDefault: boolean;
  /** Whether an INSERT must not give it a value. */
  readonly isGenerated: boolean;
}

/**
 * Why a table would lose or change plants, or refuse good ones, and what to do; empty if it would not. Further columns are no
 * fault while an INSERT can leave them out.
 *
 * @param types those of a plant's columns, as the migrations make them.
 */
export function columnFaults(
  columns: readonly Column[],
  types: Readonly<Record<keyof NewPlant, string>>,
): readonly string[] {
  const missing = Object.keys(types).filter((name) => !columns.some((column) => column.name === name));
  return [
    ...missing.map((name) => `the column ${name} is missing: add it`),
    ...columns.flatMap((column) => faultOf(column, (types as Readonly<Record<string, string>>)[column.name]) ?? []),
  ];
}

/** @param wanted undefined for a column that plants do not have. */
function faultOf({ name, type, isNotNull, hasDefault, isGenerated }: Column, wanted: string | undefined) {
  if (wanted === undefined)
    return isNotNull && !hasDefault && !isGenerated
      ? `the column ${name} is NOT NULL and has no default, so that every plant is refused: give it one`
      : undefined;
  if (type !== wanted) return `the column ${name} is of the type ${type}, not ${wanted}: change that`;
  if (isGenerated) return `the column ${name} is generated: make it a plain one`;
  return name === 'tag' && isNotNull
    ? 'the column tag is NOT NULL, so that plants without a tag are refused: let it be NULL'
    : undefined;
}

/** What to say of a table that is in use. @param table its full name. @param faults at least one. */
export function unfitTable(table: string, faults: readonly string[]): string {
  return `the table ${table} cannot keep plants: ${faults.join('; ')}`;
}

/** What to say of one that is there before the migrations have made one. */
export function foreignTable(table: string, faults: readonly string[]): string {
  // Not what to do about each: it may be another application's.
  const differences = faults.map((fault) => fault.replace(/: .*/s, '')).join('; ');
  return `there is ${table}, which plant-store has not made and which cannot keep plants: ${differences}. Give plant-store a database or schema of its own`;
}

/** What to say of one that is there and fit: the dump of a table of plants alone was restored, for example. */
export function adoptedTable(table: string): string {
  return `the table ${table} was there before the migrations, with every column of a plant: its plants are kept`;
}
