import { type NewPlant, type PlantExport, textFields } from '@plant-store/domain';
import { type Kysely, sql } from 'kysely';
import { type CompleteServerOptions, completeServerOptions, type ServerOptions } from '../options.ts';
import { type Database, type PlantRow, plantIn } from '../rows.ts';

/** What the adapter of a database server implements for the export. */
export interface ExportSource {
  /** Opens a connection on which `plants` is the table of plants. Each statement has a timeout. Destroying it closes the connection. */
  open(options: CompleteServerOptions): Promise<Kysely<Database>>;
  /** The maximum rows of a page. The engine reads all of them to find how many make {@link PAGE_BYTES}. */
  readonly pageRows: number;
  /** Returns the port's error for a driver's. */
  translate(error: unknown): unknown;
}

/**
 * Reads the plants of a database server page by page on a connection of its own, with bounded memory. A page fails after
 * `dropAfterMs`, 10 s by default.
 *
 * @throws {RangeError} if an option is out of its range.
 */
export function exportPlants(source: ExportSource, options: ServerOptions): PlantExport {
  const completed = completeServerOptions({ dropAfterMs: 10_000, ...options, poolSize: 1 });
  return { readAll: () => readAll(source, completed) };
}

/** Reads one snapshot, as of the first page. */
async function* readAll(
  { open, pageRows, translate }: ExportSource,
  options: CompleteServerOptions,
): AsyncGenerator<NewPlant, void> {
  const db = await open(options).catch((error: unknown) => Promise.reject(translate(error)));
  try {
    // Pages by id, not a cursor: each is a plain statement with a timeout, and compatible servers without cursors support them.
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
      // Rolling back fails on a lost connection, which has nothing to roll back.
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
 * Reads the next rows by id until `pageRows` or {@link PAGE_BYTES} is reached. There are two statements so that the planner of the
 * second one knows the upper bound.
 */
async function readPage(db: Kysely<Database>, pageRows: number, after?: bigint): Promise<readonly PlantRow[]> {
  const all = db.selectFrom('plants').orderBy('id');
  const next = after === undefined ? all : all.where('id', '>', after);
  const lengths = textFields.map((field) => sql`coalesce(octet_length(${sql.ref(field)}), 0)`);
  const bytes = sql<number>`${sql.join(lengths, sql` + `)}`;
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

/** 16 MiB: the text of a page in memory, not counting its last plant. */
const PAGE_BYTES = 16 * 1024 * 1024;
