import { type NewPlant, type PlantExport, plantOf } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import { openConnections } from './driver/connections.ts';
import { kyselyOn } from './driver/kysely.ts';
import { translateError } from './errors.ts';
import { type CompleteOptions, completeOptions, type MysqlOptions } from './options.ts';
import type { Schema } from './schema.ts';

/**
 * Reads the plants of a database, on a connection of its own and page by page: memory stays flat. A page that takes
 * longer than `dropAfterMs` fails.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export function mysqlExport(options: MysqlOptions): PlantExport {
  const completed = completeOptions({ dropAfterMs: PAGE_MS, ...options, poolSize: 1 });
  return { readAll: () => readAll(completed) };
}

async function* readAll(options: CompleteOptions): AsyncGenerator<NewPlant, void> {
  const db = kyselyOn(openConnections(options));
  try {
    // One snapshot for all pages, which the first one takes.
    const snapshot = await db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute();
    try {
      let last: string | undefined;
      do {
        const page = await readPage(snapshot, last);
        for (const row of page) yield { id: BigInt(row.id), ...plantOf(row) };
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

async function readPage(db: Kysely<Schema>, after: string | undefined): Promise<readonly Schema['plants'][]> {
  const page = db.selectFrom('plants').selectAll().orderBy('id').limit(PAGE);
  return (after === undefined ? page : page.where('id', '>', after)).execute();
}

/** 100 plants of 1 MiB, the largest that the service accepts by default, are 100 MiB. */
const PAGE = 100;

/** 10 s: a page takes milliseconds, and a server that has not sent one by then counts as gone. */
const PAGE_MS = 10_000;
