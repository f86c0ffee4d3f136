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

/** A table as data: an adapter makes its statements of it, once when a store is opened. */
export interface Table<Item, Key extends bigint | string = bigint | string, Values = unknown> {
  readonly name: string;
  readonly key: NamedColumn;
  /** All columns but the key, in the order of the declaration. */
  readonly values: readonly NamedColumn[];
  /** The key and then the others. */
  readonly columns: readonly NamedColumn[];
  keyOf(item: Item): Key;
  /** The key in a row. */
  keyIn(row: Row): Key;
  /** What a row has beside its key, as a new object without members for absent values. */
  valuesIn(row: Row): Values;
  /** The record in a row of all columns. */
  recordIn(row: Row): Item;
}

/** A column with its name. */
interface NamedColumn extends Column {
  readonly name: string;
}

/**
 * Declares a table.
 *
 * @param declared.key the name of the column that identifies a record: one of int64 or text that is not optional.
 * @throws {RangeError} when a name is not of lower-case letters, digits and underscores: statements have it as it is.
 */
export function table<Declared extends Columns, Name extends KeysOf<Declared> & string>(declared: {
  readonly name: string;
  readonly key: Name;
  readonly columns: Declared;
}): Table<RecordOf<Declared>, ValueTypes[Declared[Name]['type']] & (bigint | string), RecordOf<Omit<Declared, Name>>> {
  const named = Object.entries(declared.columns).map(([name, column]) => ({ name, ...column }));
  const values = named.filter(({ name }) => name !== declared.key);
  const [key] = named.filter(({ name }) => name === declared.key) as [NamedColumn];
  const wrong = [declared.name, ...named.map(({ name }) => name)].find((name) => !/^[a-z][a-z0-9_]*$/.test(name));
  if (wrong !== undefined) throw new RangeError(`${wrong}: expected lower-case letters, digits and underscores`);

  const keyIn = (row: Row) => valueIn(row, key) as bigint | string;
  function valuesIn(row: Row): object {
    const found: Record<string, unknown> = {};
    for (const column of values) if (row[column.name] != null) found[column.name] = valueIn(row, column);
    return found;
  }
  // What the declaration's types say of these, the compiler cannot follow through names that are data.
  const made: Table<Readonly<Record<string, unknown>>> = {
    name: declared.name,
    key,
    values,
    columns: [key, ...values],
    keyOf: (item) => item[key.name] as bigint | string,
    keyIn,
    valuesIn,
    recordIn: (row) => ({ [key.name]: keyIn(row), ...valuesIn(row) }),
  };
  return made as unknown as ReturnType<typeof table<Declared, Name>>;
}

/** The columns that can be a key. */
type KeysOf<Declared extends Columns> = {
  [Name in keyof Declared]: Declared[Name] extends Column<'int64' | 'text', false> ? Name : never;
}[keyof Declared];

function valueIn(row: Row, { name, type }: NamedColumn): unknown {
  const value = row[name] as string;
  if (type === 'int64') return BigInt(value);
  return type === 'double' ? Number(value) : value;
}
