import type { NewPlant, PlantExport } from '@plant-store/domain';
import { type Kysely, sql } from 'kysely';
import { type CompleteServerOptions, completeServerOptions, type ServerOptions } from '../options.ts';
import { type Database, type PlantRow, plantIn } from './database.ts';

/** What the adapter of a database server brings to be exported. */
export interface ExportSource {
  /**
   * Opens a connection of its own, on which `plants` is the table of plants; destroying it closes that. A statement has a time
   * limit, so a page has one.
   */
  open(options: CompleteServerOptions): Promise<Kysely<Database>>;
  /** The most rows of a page: the engine reads all of them to find how many are {@link PAGE_BYTES}. */
  readonly pageRows: number;
  /** What to throw for an error. */
  translate(error: unknown): unknown;
}

/**
 * Reads the plants of a database server, on a connection of its own and page by page: memory stays flat. A page that takes
 * longer than `dropAfterMs`, 10 s by default, fails: it takes milliseconds, and such a server counts as gone.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export function exportPlants(source: ExportSource, options: ServerOptions): PlantExport {
  const completed = completeServerOptions({ dropAfterMs: 10_000, ...options, poolSize: 1 });
  return { readAll: () => readAll(source, completed) };
}

/** As they were at the moment of the first page. */
async function* readAll(
  { open, pageRows, translate }: ExportSource,
  options: CompleteServerOptions,
): AsyncGenerator<NewPlant, void> {
  const db = await open(options).catch((error: unknown) => Promise.reject(translate(error)));
  try {
    // Pages by id rather than a cursor: they are plain statements, each with its time limit, and engines that only speak a
    // server's protocol support them, too.
    const snapshot = await db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute();
    try {
      for (let page = await readPage(snapshot, pageRows); page.length > 0; ) {
        for (const row of page) yield plantIn(row);
        page = await readPage(snapshot, pageRows, page.at(-1)?.id);
      }
    } finally {
      // Also when the reader stops. A lost connection has nothing to roll back.
      await snapshot
        .rollback()
        .execute()
        .catch(() => {});
    }
  } catch (error) {
    throw translate(error);
  } finally {
    await db.destroy();
  }
}

/**
 * The next rows by id: at most `pageRows`, and no more of them than it takes to have {@link PAGE_BYTES}. In two statements:
 * what the first one finds is a bound that the planner of the second knows.
 */
async function readPage(db: Kysely<Database>, pageRows: number, after?: bigint): Promise<readonly PlantRow[]> {
  const all = db.selectFrom('plants').orderBy('id');
  const next = after === undefined ? all : all.where('id', '>', after);
  const bytes = sql<number>`octet_length(name) + coalesce(octet_length(tag), 0)`;
  const sizes = next
    .select(['id', bytes.as('bytes')])
    .limit(pageRows)
    .as('sizes');
  const sums = db
    .selectFrom(sizes)
    .select(['id', sql<number>`sum(bytes) over (order by id) - bytes`.as('bytes_before')])
    .as('sums');
  const { last } = await db
    .selectFrom(sums)
    .where('bytes_before', '<', PAGE_BYTES)
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  return last === null ? [] : next.where('id', '<=', last).selectAll().execute();
}

/** 16 MiB: with the plant that exceeds it, what a page has of text in memory at most. */
const PAGE_BYTES = 16 * 1024 * 1024;
