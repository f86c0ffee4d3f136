import { type PlantExport, pickPlant, textFields } from '@plant-store/domain';
import { type Kysely, sql } from 'kysely';
import { type Database, type PlantRow, plantColumns } from '../rows.ts';
import type { SqlDatabase } from './database.ts';

/**
 * Reads the plants of a SQL database page by page, with bounded memory. Plants that are stored meanwhile may be read or not.
 *
 * @param open opens a database for one reader, which closes it. The timeout of a statement limits a page.
 */
export function exportPlants(open: () => SqlDatabase): PlantExport {
  return {
    async *readAll() {
      const { db, errors, pageRows } = open();
      try {
        // Pages by id, not a cursor: each is a plain statement with a timeout, and compatible servers without cursors support them.
        for (let page = await readPage(db, pageRows); page.length > 0; ) {
          for (const row of page) yield { id: row.id, ...pickPlant(row) };
          page = await readPage(db, pageRows, page.at(-1)?.id);
        }
      } catch (error) {
        throw errors.translateOwn(error);
      } finally {
        await db.destroy();
      }
    },
  };
}

/**
 * Reads the next rows by id until `pageRows` or {@link PAGE_BYTES} is reached. There are two statements so that the planner of the
 * second one knows the upper bound.
 */
async function readPage(db: Kysely<Database>, pageRows: number, after?: bigint): Promise<readonly PlantRow[]> {
  const all = db.selectFrom('plants').orderBy('id');
  const next = after === undefined ? all : all.where('id', '>', after);
  const lengths = textFields.map((field) => sql`coalesce(octet_length(${sql.ref(field)}), 0)`);
  const sizes = next
    .select(['id', sql<number>`${sql.join(lengths, sql` + `)}`.as('bytes')])
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
  // With the limit, because plants may have been stored between the two.
  return last === null ? [] : next.where('id', '<=', last).select(plantColumns).limit(pageRows).execute();
}

/** 16 MiB: the text of a page in memory, not counting its last plant. */
const PAGE_BYTES = 16 * 1024 * 1024;
