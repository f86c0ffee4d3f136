import * as mysql from '@plant-store/adapters-mysql';
import * as postgres from '@plant-store/adapters-postgres';
import * as sqlite from '@plant-store/adapters-sqlite';
import { StoreUnavailable } from '@plant-store/domain';
import { double, int64, optional, table, text } from '@plant-store/sql-store';
import { expect, onTestFinished, test } from 'vitest';

/** A table that has next to nothing in common with that of plants. Nobody serves it. */
const seeds = table({
  name: 'seeds',
  noun: 'seed',
  key: 'sku',
  columns: { sku: text, count: int64, weight: optional(double), label: optional(text) },
});

/** The table in each engine. It refuses a count of 13. */
const engines = {
  postgres: {
    columns: 'sku text primary key, count int8 not null, weight float8, label text',
    migrate: (connectionString: string) => postgres.migratePostgres({ connectionString }),
    open: (connectionString: string) => postgres.openTable(seeds, { connectionString }),
    exported: (connectionString: string) => postgres.exportTable(seeds, { connectionString }),
  },
  mysql: {
    columns:
      'sku varchar(200) character set utf8mb4 collate utf8mb4_bin primary key, count bigint not null, weight double, label longtext character set utf8mb4',
    migrate: (connectionString: string) => mysql.migrateMysql({ connectionString }),
    open: (connectionString: string) => mysql.openTable(seeds, { connectionString }),
    exported: (connectionString: string) => mysql.exportTable(seeds, { connectionString }),
  },
  sqlite: {
    columns: 'sku text primary key not null, count integer not null, weight real, label text',
    migrate: (path: string) => sqlite.migrateSqlite({ path }),
    open: (path: string) => sqlite.openTable(seeds, { path }),
    exported: (path: string) => sqlite.exportTable(seeds, { path }),
  },
};

/** A seed for each way in which a text, a number or an absent value could be lost. */
const rows = [
  { sku: '', count: 2n ** 63n - 1n, weight: 0.1 },
  { sku: '7', count: -(2n ** 63n), weight: -1.5e-300, label: '' },
  { sku: `a "quoted" \\ O'Brien {1,2} NULL`, count: 0n, label: 'NULL' },
  { sku: 'ß🌱', count: 1n, weight: 5e-324, label: '🌱' },
];

/** A table with a text for its key and numbers in it goes through the store, and the export, of an engine. */
export function keepsASecondTable(
  engine: string,
  place: () => Promise<string>,
  runSql: (place: string, sql: string) => unknown,
): void {
  test(`on ${engine} a second table keeps every value, of a taken key the first, and is read in order`, async () => {
    const { columns, migrate, open, exported } = engines[engine as keyof typeof engines];
    const at = await place();
    await migrate(at);
    await runSql(at, `create table seeds (${columns}, check (count <> 13))`);
    const store = await open(at);
    onTestFinished(() => store.close());
    await store.check();

    expect(await Promise.all(rows.toReversed().map((seed) => store.submit(seed)))).toEqual(
      rows.map(() => ({ outcome: 'added' })),
    );
    const others = rows.map(({ sku }) => ({ sku, count: 2n, label: 'other' }));
    const found = rows.map(({ sku: _, ...seed }) => ({ outcome: 'exists', seed }));
    expect(await Promise.all(others.map((seed) => store.submit(seed)))).toStrictEqual(found);

    const [refused, added, repeated] = await Promise.allSettled([
      store.submit({ sku: 'bad', count: 13n }),
      store.submit({ sku: 'z', count: 3n, weight: 1 }),
      store.submit({ sku: 'z', count: 4n }),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(Error) });
    expect(refused).not.toMatchObject({ reason: expect.any(StoreUnavailable) });
    expect(added).toEqual({ status: 'fulfilled', value: { outcome: 'added' } });
    expect(repeated).toMatchObject({ value: { outcome: 'exists', seed: { count: 3n, weight: 1 } } });

    const read: unknown[] = [];
    for await (const seed of exported(at).readAll()) read.push(seed);
    expect(read).toStrictEqual([...rows.slice(0, 3), { sku: 'z', count: 3n, weight: 1 }, ...rows.slice(3)]);
  });
}
