import { type AnyResult, type NamedColumn, type Row, type Table, valueIn } from '@plant-store/sql-store';

/** The texts of a table's statements, and its words: a writer prepares them when they are first used. */
export interface Statements {
  readonly insert: string;
  /** What a record has beside its key, by the key. */
  readonly read: string;
  /** Fails, as an insert does, where the file is read-only, damaged or not migrated. */
  readonly insertNone: string;
  readonly readAll: string;
  /** For a record that a trigger passes over. */
  readonly ignored: string;
}

/** Made once, when a store is opened. Not by Kysely, which takes more CPU to load than all else that a start does. */
export function statementsOf<Item, Key extends bigint | string>(table: Table<Item, Key, AnyResult>): Statements {
  const { name, noun, key, columns } = table;
  const names = columns.map((column) => column.name).join(', ');
  const [, ...values] = columns;
  return {
    insert: `insert into ${name} (${names}) values (${columns.map(() => '?').join(', ')}) on conflict (${key.name}) do nothing`,
    read: `select ${values.map((column) => column.name).join(', ') || 'null'} from ${name} where ${key.name} = ?`,
    insertNone: `insert into ${name} (${names}) select ${names} from ${name} where false`,
    readAll: `select ${names} from ${name} order by ${key.name}`,
    ignored: `the file ignores the ${noun}: see the triggers of the table ${name}`,
  };
}

/** Records by column: passing an object for each to another process costs more. */
export type Batch = readonly (BigInt64Array | readonly (bigint | number | string | null)[])[];

export function batchOf<Item extends object>(
  { columns }: { readonly columns: readonly NamedColumn[] },
  items: readonly Item[],
): Batch {
  return columns.map((column) => {
    if (column.type === 'int64' && !column.isOptional)
      return BigInt64Array.from(items, (item) => valueIn(item, column) as bigint);
    return items.map((item) => valueIn(item, column));
  });
}

/** A record of a batch whose key was taken. */
export interface Taken {
  /** Its place in the batch. */
  readonly at: number;
  /** What has the key, without the key. */
  readonly row: Row;
}
