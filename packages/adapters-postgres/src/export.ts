import { type NewPlant, type PlantExport, plantOf, textFields } from '@plant-store/domain';
import { type Kysely, sql } from 'kysely';
import { preparedTransactions } from './citus/prepared-transactions.ts';
import { openKysely } from './driver/database.ts';
import { translateError } from './errors.ts';
import { type CompleteOptions, completeOptions, type PostgresOptions } from './options.ts';
import type { Schema } from './schema.ts';

/**
 * Reads the plants of a PostgreSQL database, on a connection of its own and page by page: memory stays flat. A page
 * that takes longer than `dropAfterMs` fails. Plants that a Citus cluster does not show yet are a warning.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export function postgresExport(options: PostgresOptions): PlantExport {
  const completed = completeOptions({ dropAfterMs: PAGE_MS, ...options, poolSize: 1 });
  return { readAll: () => readAll(completed) };
}

async function* readAll(options: CompleteOptions): AsyncGenerator<NewPlant, void> {
  const db = openKysely(options);
  try {
    for (const warning of await preparedTransactions(db)) options.onWarning(warning);
    // One snapshot for all pages. Pages by key rather than a cursor: they are plain statements, each with its timeout,
    // and engines that only speak PostgreSQL's protocol support them, too.
    const snapshot = await db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute();
    try {
      let last: bigint | undefined;
      do {
        const page = await readPage(snapshot, last);
        for (const row of page) yield { id: row.id, ...plantOf(row) };
        last = page.at(-1)?.id;
      } while (last !== undefined);
    } finally {
      // Also when the reader stops: the pool ends once its connection is released. A lost one has nothing to roll back.
      await snapshot
        .rollback()
        .execute()
        .catch(() => {});
    }
  } catch (error) {
    throw translateError(error);
  } finally {
    await db.destroy();
  }
}

/**
 * The next plants by id: at most {@link PAGE}, and no more of them than it takes to have {@link PAGE_BYTES}. In two
 * statements: what the first one finds is a bound that the planner of the second knows.
 */
export async function readPage(db: Kysely<Schema>, after: bigint | undefined): Promise<readonly Schema['plants'][]> {
  const all = db.selectFrom('plants');
  const next = after === undefined ? all : all.where('id', '>', after);
  const sizes = next.select(['id', bytes]).orderBy('id').limit(PAGE).as('sizes');
  const sums = db.selectFrom(sizes).select(['id', bytesBefore]).as('sums');
  const page = db.selectFrom(sums).where('bytes_before', '<', PAGE_BYTES);
  const { last } = await page.select(({ fn }) => fn.max('id').as('last')).executeTakeFirstOrThrow();
  return last === null ? [] : next.where('id', '<=', last).selectAll().orderBy('id').execute();
}

const bytes = sql<number>`${sql.join(
  textFields.map((field) => sql`coalesce(octet_length(${sql.ref(field)}), 0)`),
  sql` + `,
)}`.as('bytes');

const bytesBefore = sql<number>`sum(bytes) OVER (ORDER BY id) - bytes`.as('bytes_before');

/** 16 MiB: with the plant that exceeds it, what a page has of text in memory at most. */
const PAGE_BYTES = 16 * 1024 * 1024;

/**
 * 2,000 plants: a million of 7 bytes take 4.1 s, with 500 a page 7.5 s, with 8,000 5.1 s. On a Citus cluster each shard
 * responds with as many sizes.
 */
const PAGE = 2_000;

/** 10 s: a page takes milliseconds, and a server that has not sent one by then counts as gone. */
const PAGE_MS = 10_000;
