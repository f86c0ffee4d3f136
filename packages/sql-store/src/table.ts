import type { Done } from '@plant-store/group-commit';

/** What JavaScript has for the values of a column, by the column's type. */
interface ValueTypes {
  readonly int64: bigint;
  readonly double: number;
  readonly text: string;
}

/** The declaration of a column. */
export interface Column<Type extends keyof ValueTypes = keyof ValueTypes, IsOptional extends boolean = boolean> {
  readonly type: Type;
  readonly isOptional: IsOptional;
}

/** Whole numbers from −2⁶³ to 2⁶³ − 1. */
export const int64: Column<'int64', false> = { type: 'int64', isOptional: false };

/** Numbers of IEEE 754 with 64 bits. */
export const double: Column<'double', false> = { type: 'double', isOptional: false };

/** Texts of any length, stored exactly. */
export const text: Column<'text', false> = { type: 'text', isOptional: false };

/** A column whose values a record may lack; they are null in the database. */
export function optional<Type extends keyof ValueTypes>({ type }: Column<Type>): Column<Type, true> {
  return { type, isOptional: true };
}

/** The columns of a table by their names. */
export type Columns = Readonly<Record<string, Column>>;

/** The records of a table: a member for each column, which is absent where an optional value is. */
export type RecordOf<Declared extends Columns> = {
  readonly [Name in keyof Declared as Declared[Name]['isOptional'] extends true
    ? never
    : Name]: ValueTypes[Declared[Name]['type']];
} & {
  readonly [Name in keyof Declared as Declared[Name]['isOptional'] extends true
    ? Name
    : never]?: ValueTypes[Declared[Name]['type']];
};

/** A row as a driver has it: null or undefined where a value is absent, and numbers as numbers, bigints or their text. */
export type Row = Readonly<Record<string, unknown>>;

/** Any tables, as Kysely needs to know them for statements that are made of a {@link Table}. */
export type Tables = Readonly<Record<string, Row>>;

/** A column with its name. */
export interface NamedColumn extends Column {
  readonly name: string;
}

/** What adding a record results in: it was added, or another record has its key. */
export type AnyResult = { readonly outcome: 'added' } | { readonly outcome: 'exists' };

/** The same, with the values of the record that has the key, under the noun for a record. */
export type ResultOf<Noun extends string, Values> =
  | { readonly outcome: 'added' }
  | ({ readonly outcome: 'exists' } & { readonly [Name in Noun]: Values });

/** A table as data: an adapter makes its statements of it, once when a store is opened. */
export interface Table<Item, Key extends bigint | string, Result extends AnyResult> {
  readonly name: string;
  /** The noun for a record in messages: `plant`. */
  readonly noun: string;
  readonly key: NamedColumn;
  /** All columns: the key, and then the others in the order of the declaration. */
  readonly columns: readonly NamedColumn[];
  keyOf(item: Item): Key;
  /** A key as a driver has it. */
  keyFrom(value: unknown): Key;
  /** In the order in which every writer writes, so that writers may wait for one another, but never deadlock. */
  sorted(items: readonly Item[]): readonly Item[];
  /** The record in a row of all columns, or a copy of a record. */
  recordIn(row: Row | Item): Item;
  /** The outcome of a record that was stored. */
  readonly added: Done<Result>;
  /** The outcome of a record whose key another one has: what that has beside its key, in a row of at least these columns. */
  exists(row: Row | Item): Done<Result>;
}

/**
 * Declares a table.
 *
 * @param declared.key the name of the column that identifies a record: one of int64 or text that is not optional.
 * @throws {RangeError} when a name is not of lower-case letters, digits and underscores: statements have it as it is.
 */
export function table<Declared extends Columns, Name extends KeysOf<Declared> & string, Noun extends string>(declared: {
  readonly name: string;
  readonly noun: Noun;
  readonly key: Name;
  readonly columns: Declared;
}): Table<
  RecordOf<Declared>,
  ValueTypes[Declared[Name]['type']] & (bigint | string),
  ResultOf<Noun, RecordOf<Omit<Declared, Name>>>
> {
  const { name, noun } = declared;
  const named = Object.entries(declared.columns).map(([each, column]) => ({ name: each, ...column }));
  const values = named.filter((column) => column.name !== declared.key);
  const [key] = named.filter((column) => column.name === declared.key) as [NamedColumn];
  const wrong = [name, noun, ...Object.keys(declared.columns)].find((each) => !/^[a-z][a-z0-9_]*$/.test(each));
  if (wrong !== undefined) throw new RangeError(`${wrong}: expected lower-case letters, digits and underscores`);

  const keyOf = (item: Row) => item[key.name] as bigint | string;
  const keyFrom = (value: unknown) => read(key, value) as bigint | string;
  function valuesIn(row: Row): Row {
    const found: Record<string, unknown> = {};
    for (const column of values) {
      const value = row[column.name];
      if (value != null) found[column.name] = read(column, value);
    }
    return found;
  }
  // What the declaration's types say of these, the compiler cannot follow through names that are data.
  const made: Table<Row, bigint | string, AnyResult> = {
    name,
    noun,
    key,
    columns: [key, ...values],
    keyOf,
    keyFrom,
    sorted: (items) => items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    recordIn: (row) => ({ [key.name]: keyFrom(row[key.name]), ...valuesIn(row) }),
    added: { done: { outcome: 'added' } },
    exists: (row) => ({ done: { outcome: 'exists', [noun]: valuesIn(row) } }),
  };
  return made as unknown as ReturnType<typeof table<Declared, Name, Noun>>;
}

/** The columns that can be a key. */
type KeysOf<Declared extends Columns> = {
  [Name in keyof Declared]: Declared[Name] extends Column<'int64' | 'text', false> ? Name : never;
}[keyof Declared];

function read({ type }: Column, value: unknown): unknown {
  if (type === 'int64') return BigInt(value as bigint | string);
  return type === 'double' ? Number(value) : value;
}

/** The value of a column in a record; null where it is absent. */
export function valueIn(item: object, { name }: NamedColumn): Value {
  return (item as Readonly<Record<string, Value | undefined>>)[name] ?? null;
}

/** A value as it is stored. */
type Value = bigint | number | string | null;
