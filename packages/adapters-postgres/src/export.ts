import { type NewPlant, type PlantExport, plantOf, textFields } from '@plant-store/domain';
import { type Kysely, sql } from 'kysely';
import { preparedTransactions } from './citus/prepared-transactions.ts';
import { openKysely } from './driver/database.ts';
import { toStoreUnavailable } from './errors.ts';
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
    throw toStoreUnavailable(error);
  } finally {
    await db.destroy();
  }
}

/** In two statements: how large the next plants are, and then as many of them as {@link lastOfPage} says. */
async function readPage(db: Kysely<Schema>, after: bigint | undefined): Promise<readonly Schema['plants'][]> {
  const all = db.selectFrom('plants').orderBy('id');
  const next = after === undefined ? all : all.where('id', '>', after);
  const last = lastOfPage(await next.select(['id', bytes]).limit(PAGE).execute());
  return last === undefined ? [] : next.selectAll().where('id', '<=', last).execute();
}

const bytes = sql<number>`${sql.join(
  textFields.map((field) => sql`coalesce(octet_length(${sql.ref(field)}), 0)`),
  sql` + `,
)}`.as('bytes');

/** The id of the plant with which a page has {@link PAGE_BYTES} of text, else of the last plant; undefined without any. */
export function lastOfPage(plants: readonly { readonly id: bigint; readonly bytes: number }[]): bigint | undefined {
  let total = 0;
  for (const { id, bytes } of plants) {
    total += bytes;
    if (total >= PAGE_BYTES) return id;
  }
  return plants.at(-1)?.id;
}

/** 16 MiB: with the plant that exceeds it, what a page has of text in memory at most. */
const PAGE_BYTES = 16 * 1024 * 1024;

/**
 * 2,000 plants: a million of 7 bytes take 4.1 s, with 500 a page 7.5 s, with 8,000 5.1 s. On a Citus cluster each shard
 * responds with as many sizes.
 */
const PAGE = 2_000;

/** 10 s: a page takes milliseconds, and a server that has not sent one by then counts as gone. */
const PAGE_MS = 10_000;
