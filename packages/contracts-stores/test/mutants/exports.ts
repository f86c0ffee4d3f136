import type { Mutant } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, StoreUnavailable } from '@plant-store/domain';
import { type ExportClass, ModelExport, PAGE, type Row } from '../model/model-export.ts';

/** A PlantExport with one mistake. */
export interface ExportMutant extends Mutant {
  readonly Export: ExportClass;
}

/** Exports that pass every clause. */
export const correctExports: readonly { readonly does: string; readonly Export: ExportClass }[] = [
  { does: 'reads a snapshot page by page', Export: ModelExport },
  {
    does: 'returns what it has read already, in an outage',
    Export: class extends ModelExport {
      protected override async reach(): Promise<void> {}
    },
  },
];

/** Every mutant, in the order of the clauses that they break. */
export const exportMutants: readonly ExportMutant[] = [
  {
    does: 'leaves out the plant at the end of each page',
    breaks: 'PE-1',
    alsoBreaks: {
      clauses: ['PE-3', 'PE-5'],
      because: 'they count the plants read after others were added, or stopped',
    },
    Export: class extends ModelExport {
      protected override page(rows: readonly Row[], from: number, to: number): readonly Row[] {
        return rows.slice(from, to - 1);
      }
    },
  },
  {
    does: 'reads the plant at the end of each page again',
    breaks: 'PE-1',
    alsoBreaks: { clauses: ['PE-3'], because: 'it counts the plants read while others are added' },
    Export: class extends ModelExport {
      protected override page(rows: readonly Row[], from: number, to: number): readonly Row[] {
        return rows.slice(Math.max(0, from - 1), to);
      }
    },
  },
  {
    does: 'reads ids as numbers',
    breaks: 'PE-1',
    Export: returning((plant) => ({ ...plant, id: BigInt(Number(plant.id)) })),
  },
  ...optionalTextFields.flatMap((field) => [
    {
      does: `reads an absent ${field} as an empty one`,
      breaks: 'PE-1',
      Export: returning((plant) => ({ [field]: '', ...plant })),
    },
    {
      does: `reads an absent ${field} as a property that is undefined`,
      breaks: 'PE-1',
      Export: returning((plant) => ({ [field]: undefined, ...plant })),
    },
  ]),
  {
    does: 'trims names',
    breaks: 'PE-1',
    Export: returning((plant) => ({ ...plant, name: plant.name.trim() })),
  },
  {
    does: 'starts after the id 0',
    breaks: 'PE-1',
    Export: class extends ModelExport {
      protected override rows(): readonly Row[] {
        return super.rows().filter(([id]) => id > 0n);
      }
    },
  },
  {
    does: 'reads in the order of insertion',
    breaks: 'PE-2',
    Export: sortedBy(() => 0),
  },
  {
    does: 'orders ids as texts',
    breaks: 'PE-2',
    Export: sortedBy(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  },
  {
    does: 'orders ids as unsigned integers',
    breaks: 'PE-2',
    Export: sortedBy(([a], [b]) => (BigInt.asUintN(64, a) < BigInt.asUintN(64, b) ? -1 : 1)),
  },
  {
    does: 'reads each page as it is at that time',
    breaks: 'PE-3',
    Export: class extends ModelExport {
      override async *readAll(): AsyncGenerator<NewPlant, void> {
        let last: bigint | undefined;
        for (;;) {
          await this.reach();
          const after = this.rows().filter(([id]) => last === undefined || id > last);
          if (after.length === 0) return;
          for (const row of after.slice(0, PAGE)) yield this.returned(row);
          last = after[Math.min(PAGE, after.length) - 1]?.[0];
        }
      }
    },
  },
  {
    does: 'ends when a plant is added',
    breaks: 'PE-3',
    Export: class extends ModelExport {
      override async *readAll(): AsyncGenerator<NewPlant, void> {
        const { logged } = this.database;
        for await (const plant of super.readAll()) {
          if (this.database.logged > logged) return;
          yield plant;
        }
      }
    },
  },
  {
    does: 'locks the plants until all are read',
    breaks: 'PE-4',
    alsoBreaks: { clauses: ['PE-3'], because: 'plants are added there while others are read' },
    Export: class extends ModelExport {
      #unlock: (() => Promise<void>) | undefined;

      protected override async connect(): Promise<void> {
        await super.connect();
        this.#unlock = this.database.startOutage();
      }

      protected override async reach(): Promise<void> {
        if (!this.#unlock) await super.reach();
      }

      protected override async release(): Promise<void> {
        await this.#unlock?.();
      }
    },
  },
  {
    does: 'releases its connection at the end only, and has ten of them',
    breaks: 'PE-5',
    Export: class extends ModelExport {
      #connections = 10;

      override async *readAll(): AsyncGenerator<NewPlant, void> {
        if (this.#connections === 0) await new Promise(() => {});
        this.#connections -= 1;
        let ended = false;
        try {
          yield* super.readAll();
          ended = true;
        } finally {
          if (ended) this.#connections += 1;
        }
      }
    },
  },
  {
    does: 'throws if a reader stops',
    breaks: 'PE-5',
    Export: class extends ModelExport {
      override async *readAll(): AsyncGenerator<NewPlant, void> {
        let ended = false;
        try {
          yield* super.readAll();
          ended = true;
        } finally {
          // biome-ignore lint/correctness/noUnsafeFinally: that is what it gets wrong
          if (!ended && !this.database.outage) throw new StoreUnavailable('the cursor was closed');
        }
      }
    },
  },
  {
    does: 'waits for the end of an outage',
    breaks: 'PE-6',
    Export: class extends ModelExport {
      protected override async reach(): Promise<void> {
        await this.database.outage;
      }
    },
  },
  {
    does: 'ends quietly in an outage',
    breaks: 'PE-6',
    Export: class extends ModelExport {
      override async *readAll(): AsyncGenerator<NewPlant, void> {
        try {
          yield* super.readAll();
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error;
        }
      }
    },
  },
  {
    does: 'ends quietly if an outage begins between two pages',
    breaks: 'PE-6',
    Export: class extends ModelExport {
      override async *readAll(): AsyncGenerator<NewPlant, void> {
        let isReading = false;
        try {
          for await (const plant of super.readAll()) {
            isReading = true;
            yield plant;
          }
        } catch (error) {
          if (!isReading) throw error;
        }
      }
    },
  },
  {
    does: 'throws an error of its driver in an outage',
    breaks: 'PE-6',
    Export: class extends ModelExport {
      protected override async reach(): Promise<void> {
        if (this.database.outage) throw new Error('ECONNREFUSED');
      }
    },
  },
];

function returning(change: (plant: NewPlant) => NewPlant): ExportClass {
  return class extends ModelExport {
    protected override returned(row: Row): NewPlant {
      return change(super.returned(row));
    }
  };
}

function sortedBy(compare: (a: Row, b: Row) => number): ExportClass {
  return class extends ModelExport {
    protected override rows(): readonly Row[] {
      return [...this.database.rows].sort(compare);
    }
  };
}
