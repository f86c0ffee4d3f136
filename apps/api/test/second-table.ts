import * as memory from '@plant-store/adapters-memory';
import * as mysql from '@plant-store/adapters-mysql';
import * as postgres from '@plant-store/adapters-postgres';
import * as sqlite from '@plant-store/adapters-sqlite';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { type StoreHarness, storeContracts } from '@plant-store/contracts-stores';
import { INT64_MIN, type NewPlant, type PlantExport, type PlantStore } from '@plant-store/domain';
import { double, int64, optional, type StoreObserver, table, text } from '@plant-store/sql-store';
import { describe, expect, onTestFinished, test } from 'vitest';

/** A table that has next to nothing in common with that of plants. Nobody serves it. */
const seeds = table({
  name: 'seeds',
  noun: 'seed',
  key: 'sku',
  columns: { sku: text, name: text, count: int64, weight: optional(double), label: optional(text) },
});

type Seed = ReturnType<typeof seeds.recordIn>;
type SeedStore = Awaited<ReturnType<typeof sqlite.openTable<Seed, string, ReturnType<typeof seeds.exists>['done']>>>;

/** An empty place for seeds. */
interface SeedPlace {
  open(observer?: StoreObserver): Promise<SeedStore>;
  exported(): { readAll(): AsyncIterable<Seed> };
}

/** Each engine: the columns of the table, if somebody has to make it, and a place once it is made. */
const engines = {
  postgres: {
    capabilities: postgres.postgresCapabilities,
    columns: 'sku text primary key, name text not null, count int8 not null, weight float8, label text',
    migrate: (connectionString: string) => postgres.migratePostgres({ connectionString }),
    place: (connectionString: string): SeedPlace => ({
      open: (observer) => postgres.openTable(seeds, { connectionString, ...optionsFor(observer) }),
      exported: () => postgres.exportTable(seeds, { connectionString }),
    }),
  },
  mysql: {
    capabilities: mysql.mysqlCapabilities,
    columns: `sku varchar(200) character set utf8mb4 collate utf8mb4_bin primary key,
      name longtext character set utf8mb4 not null, count bigint not null, weight double,
      label longtext character set utf8mb4`,
    migrate: (connectionString: string) => mysql.migrateMysql({ connectionString }),
    place: (connectionString: string): SeedPlace => ({
      open: (observer) => mysql.openTable(seeds, { connectionString, ...optionsFor(observer) }),
      exported: () => mysql.exportTable(seeds, { connectionString }),
    }),
  },
  sqlite: {
    capabilities: sqlite.sqliteCapabilities,
    columns: 'sku text primary key not null, name text not null, count integer not null, weight real, label text',
    migrate: (path: string) => sqlite.migrateSqlite({ path }),
    place: (path: string): SeedPlace => ({
      open: (observer) => sqlite.openTable(seeds, { path, ...optionsFor(observer) }),
      exported: () => sqlite.exportTable(seeds, { path }),
    }),
  },
  memory: {
    capabilities: memory.memoryCapabilities,
    columns: undefined,
    migrate: async () => {},
    place(): SeedPlace {
      let latest = memory.openTable(seeds);
      return { open: async () => (latest = memory.openTable(seeds)), exported: () => latest };
    },
  },
};

/** A clause adds many at once: even a slow machine must not refuse some. */
const optionsFor = (observer?: StoreObserver) => ({ maxWaitMs: 60_000, ...(observer && { observer }) });

/** A seed for each way in which a text, a number or an absent value could be lost. */
const rows = [
  { sku: '', name: '', count: 2n ** 63n - 1n, weight: 0.1 },
  { sku: '7', name: '7', count: -(2n ** 63n), weight: -1.5e-300, label: '' },
  { sku: `a "quoted" \\ O'Brien {1,2} NULL`, name: 'NULL', count: 0n, label: 'NULL' },
  { sku: 'ß🌱', name: 'ß', count: 1n, weight: 5e-324, label: '🌱' },
];

/** A table with a text for its key and numbers in it keeps its values on an engine, and on SQLite the clauses about tables. */
export function keepsASecondTable(
  engine: string,
  scratch: () => Promise<string>,
  runSql: (place: string, sql: string) => unknown,
): void {
  const { capabilities, columns, migrate, place } = engines[engine as keyof typeof engines];
  async function prepare(): Promise<SeedPlace> {
    const at = await scratch();
    await migrate(at);
    if (columns) await runSql(at, `create table seeds (${columns}, check (label not like 'noxious%'))`);
    return place(at);
  }

  test(`on ${engine} a second table keeps every value, of a taken key the first, and is read in order`, async () => {
    const { open, exported } = await prepare();
    const store = await open();
    onTestFinished(() => store.close());

    const others = rows.map(({ sku }) => ({ sku, name: 'other', count: 2n, label: 'other' }));
    const found = rows.map(({ sku: _, ...seed }) => ({ outcome: 'exists', seed }));
    // As repeats, and once the first are stored.
    const both = await Promise.all([...rows.toReversed(), ...others].map((seed) => store.submit(seed)));
    expect(both).toStrictEqual([...rows.map(() => ({ outcome: 'added' })), ...found]);
    expect(await Promise.all(others.map((seed) => store.submit(seed)))).toStrictEqual(found);
    const read: Seed[] = [];
    for await (const seed of exported().readAll()) read.push(seed);
    expect(read).toStrictEqual(rows);
  });

  // The test above has what differs on the others: statements and types.
  if (engine !== 'sqlite') return;
  const harness: StoreHarness = {
    capabilities,
    async prepare() {
      const { open, exported } = await prepare();
      return {
        open: async (observer) => asPlants(await open(observer)),
        export: () => exportedAsPlants(exported()),
        dispose: async () => {},
        refusedPlant: async () => ({ id: 13n, name: 'Heracleum mantegazzianum', tag: 'noxious weed' }),
      };
    },
  };
  describe(`of seeds on ${engine}`, () =>
    describeContract(storeContracts, harness, { clauses: ({ id }) => ABOUT_TABLES.includes(id) }));
}

/** Which record has a key, and that only one that is refused fails. */
const ABOUT_TABLES = ['PR-3', 'PR-4', 'PR-5', 'PR-6', 'PR-7', 'PR-9', 'PR-16', 'PE-1', 'PE-2', 'PE-3'];

/** A store of plants whose ids are texts, which have to be quoted, and whose tags are labels. */
function asPlants({ submit, check, close }: SeedStore): PlantStore {
  return {
    plants: {
      async add(plant) {
        const result = await submit(seedOf(plant));
        return result.outcome === 'added' ? result : { outcome: 'exists', plant: plantIn(result.seed) };
      },
    },
    check,
    close,
  };
}

function exportedAsPlants({ readAll }: ReturnType<SeedPlace['exported']>): PlantExport {
  return {
    async *readAll() {
      for await (const seed of readAll()) {
        yield { id: BigInt(seed.sku.slice(QUOTED.length)) + INT64_MIN, ...plantIn(seed) };
      }
    },
  };
}

const seedOf = ({ id, name, tag }: NewPlant): Seed => ({
  // In the order of the ids.
  sku: QUOTED + `${id - INT64_MIN}`.padStart(20, '0'),
  name,
  count: 1n,
  ...(tag !== undefined && { label: tag }),
});

const plantIn = ({ name, label }: Pick<Seed, 'name' | 'label'>) => ({
  name,
  ...(label !== undefined && { tag: label }),
});

const QUOTED = `ß🌱 "\\'{},`;
