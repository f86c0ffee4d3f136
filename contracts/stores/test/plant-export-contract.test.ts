import { type Mutation, mutantTable, mutate, type Tools } from '@plant-store/contracts-kit';
import { describeMutants } from '@plant-store/contracts-kit/vitest';
import {
  type NewPlant,
  optionalTextFields,
  type Plant,
  type PlantExport,
  plantOf,
  StoreUnavailable,
} from '@plant-store/domain';
import { plantExportContract, type StoreHarness } from '../src/index.ts';
import type { Database } from '../src/model/database.ts';
import { modelHarness } from './model-harness.ts';

/** A row of the database, with its id. */
type Row = readonly [bigint, Plant];

/** A correct export that reads a snapshot in pages, in steps that a mutant can replace one by one. */
class ModelExport implements PlantExport {
  readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async *readAll(): AsyncGenerator<NewPlant, void> {
    await this.roundTrip();
    try {
      const rows = this.rows();
      for (let at = 0; at < rows.length; at += PAGE) {
        await this.roundTrip();
        for (const row of this.page(rows, at, at + PAGE)) yield this.toPlant(row);
      }
    } finally {
      await this.release();
    }
  }

  async release(): Promise<void> {}

  /** Throws StoreUnavailable after a time-out. */
  async roundTrip(): Promise<void> {
    const late = this.database.sleep(2_000).then(() => 'late');
    if (await Promise.race([this.database.roundTrip(), late])) throw new StoreUnavailable('no response within 2000 ms');
  }

  /** Takes the snapshot, in the order of ids. */
  rows(): readonly Row[] {
    return [...this.database.rows].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  page(rows: readonly Row[], from: number, to: number): readonly Row[] {
    return rows.slice(from, to);
  }

  toPlant([id, plant]: Row): NewPlant {
    return { id, ...plantOf(plant) };
  }
}

/** How many plants one round trip reads. */
const PAGE = 100;

/** Makes the harness of the model export, with a mutation. */
function harness(mutation: Mutation<ModelExport>, tools: Tools): StoreHarness {
  const stores = modelHarness(() => ({}), tools);
  const prepare = async () => {
    const prepared = await stores.prepare();
    return { ...prepared, export: () => mutate(new ModelExport(prepared.database), mutation) };
  };
  return { ...stores, prepare };
}

/** Every mutant, in the order of the clauses that they break. */
const mutants = mutantTable<Mutation<ModelExport>>({
  'PE-1': {
    'leaves out the plant at the end of each page': () => ({ page: (rows, from, to) => rows.slice(from, to - 1) }),
    'reads an absent text as a property that is undefined': ({ toPlant }) => ({
      toPlant: (row) => ({
        ...Object.fromEntries(optionalTextFields.map((field) => [field, undefined])),
        ...toPlant(row),
      }),
    }),
  },
  'PE-2': {
    'reads in the order of insertion': sortedBy(() => 0),
    'orders ids as texts': sortedBy(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  },
  'PE-3': {
    'reads each page without a snapshot': ({ rows }) => ({ page: (_, from, to) => rows().slice(from, to) }),
    'lists all plants before the first, page by page without a snapshot': ({ rows }, model) => ({
      async *readAll() {
        const listed: Row[] = [];
        for (let more = rows(); more.length > 0; more = rows().filter(([id]) => id > (listed.at(-1)?.[0] ?? id))) {
          listed.push(...more.slice(0, PAGE));
          await model.roundTrip();
        }
        for (const row of listed) yield model.toPlant(row);
      },
    }),
  },
  'PE-4': {
    'locks the plants until all are read': ({ rows, roundTrip }, { database }) => {
      let unlock: (() => Promise<void>) | undefined;
      return {
        rows() {
          unlock = database.startOutage();
          return rows();
        },
        roundTrip: async () => (unlock ? undefined : roundTrip()),
        release: async () => unlock?.(),
      };
    },
  },
  'PE-5': {
    'releases one of its ten connections only if all plants are read': ({ readAll }) => {
      let free = 10;
      return {
        async *readAll() {
          if (free === 0) await new Promise(() => {});
          free -= 1;
          yield* readAll();
          free += 1;
        },
      };
    },
  },
  // More than two: it hangs, throws another error, or ends early.
  'PE-6': {
    'waits for the end of an outage': (_, { database }) => ({ roundTrip: async () => database.outage }),
    'throws an error of its driver in an outage': (_, { database }) => ({
      async roundTrip() {
        if (database.outage) throw new Error('ECONNREFUSED');
      },
    }),
    'ends quietly if an outage begins between two pages': ({ roundTrip, page }, { database }) => {
      let roundTrips = 0;
      return {
        roundTrip: () => (roundTrips++ === 0 ? roundTrip() : roundTrip().catch(() => {})),
        page: (...given) => (database.outage ? [] : page(...given)),
      };
    },
  },
});

function sortedBy(compare: (a: Row, b: Row) => number): Mutation<ModelExport> {
  return (_, { database }) => ({ rows: () => [...database.rows].sort(compare) });
}

describeMutants(plantExportContract, {
  correct: [
    ['reads a snapshot page by page', () => ({})],
    ['returns in an outage what it has already read', () => ({ roundTrip: async () => {} })],
  ],
  mutants,
  harness,
});
