import { type Kysely, sql } from 'kysely';
import { type CompleteServerOptions, completeServerOptions, type ServerOptions } from './options.ts';
import type { AnyResult, Row, Table, Tables } from './table.ts';

/** What the adapter of a database server brings to read a table. */
export interface ExportSource {
  /** Opens a connection of its own; destroying it closes that. A statement has a time limit, so a page has one. */
  openKysely(options: CompleteServerOptions): Kysely<Tables>;
  /** The most rows of a page: the engine reads all of them to find how many are {@link PAGE_BYTES}. */
  readonly pageRows: number;
  /** Called before anything is read. */
  begin?(db: Kysely<Tables>, options: CompleteServerOptions): Promise<void>;
  /** What to throw for an error. */
  translateError(error: unknown, table: string): unknown;
}

/** Reads every record of a table, in the order of the keys. */
export interface TableExport<Item> {
  readAll(): AsyncIterable<Item>;
}

/**
 * Reads the tables of a database server, on a connection of its own and page by page: memory stays flat. A page that takes
 * longer than `dropAfterMs` fails.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export function exportTable<Item, Key extends bigint | string>(
  table: Table<Item, Key, AnyResult>,
  source: ExportSource,
  options: ServerOptions,
): TableExport<Item> {
  const completed = completeServerOptions({ dropAfterMs: PAGE_MS, ...options, poolSize: 1 }, table);
  return { readAll: () => readAll(table, source, completed) };
}

/** As they were at the moment of the first page. */
async function* readAll<Item, Key extends bigint | string>(
  table: Table<Item, Key, AnyResult>,
  { openKysely, pageRows, begin, translateError }: ExportSource,
  options: CompleteServerOptions,
): AsyncGenerator<Item, void> {
  const db = openKysely(options);
  try {
    await begin?.(db, options);
    // One snapshot for all pages. Pages by key rather than a cursor: they are plain statements, each with its timeout,
    // and engines that only speak a server's protocol support them, too.
    const snapshot = await db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute();
    try {
      let last: Key | undefined;
      do {
        const page = await readPage(snapshot, table, pageRows, last);
        for (const row of page) yield table.recordIn(row);
        const [end] = page.slice(-1);
        last = end && table.keyFrom(end[table.key.name]);
      } while (last !== undefined);
    } finally {
      // Also when the reader stops: the pool ends once its connection is released. A lost one has nothing to roll back.
      await snapshot
        .rollback()
        .execute()
        .catch(() => {});
    }
  } catch (error) {
    throw translateError(error, table.name);
  } finally {
    await db.destroy();
  }
}

/**
 * The next rows by key: at most `pageRows`, and no more of them than it takes to have {@link PAGE_BYTES}. In two
 * statements: what the first one finds is a bound that the planner of the second knows.
 */
export async function readPage<Item, Key extends bigint | string>(
  db: Kysely<Tables>,
  table: Table<Item, Key, AnyResult>,
  pageRows: number,
  after: Key | undefined,
): Promise<readonly Row[]> {
  const key = table.key.name;
  const texts = table.columns.filter(({ type }) => type === 'text');
  const lengths = texts.map(({ name }) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`);
  const bytes = sql<number>`${sql.join([sql`0`, ...lengths], sql` + `)}`;
  const all = db.selectFrom(table.name);
  const next = after === undefined ? all : all.where(key, '>', after);
  const sizes = next
    .select([key, bytes.as('bytes')])
    .orderBy(key)
    .limit(pageRows)
    .as('sizes');
  const sums = db
    .selectFrom(sizes)
    .select([key, sql<number>`sum(bytes) over (order by ${sql.ref(key)}) - bytes`.as('bytes_before')])
    .as('sums');
  const page = db.selectFrom(sums).where('bytes_before', '<', PAGE_BYTES);
  const { last } = await page.select(({ fn }) => fn.max(key).as('last')).executeTakeFirstOrThrow();
  if (last === null) return [];
  return next
    .where(key, '<=', table.keyFrom(last))
    .select(table.columns.map(({ name }) => name))
    .orderBy(key)
    .execute();
}

/** 16 MiB: with the record that exceeds it, what a page has of text in memory at most. */
const PAGE_BYTES = 16 * 1024 * 1024;

/** 10 s: a page takes milliseconds, and a server that has not sent one by then counts as gone. */
const PAGE_MS = 10_000;
