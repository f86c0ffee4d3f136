import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields } from '@plant-store/domain';
import { type ExportClass, ModelExport, PAGE, type Row } from '../model/model-export.ts';

/** Exports that pass every clause. */
export const correctExports: readonly (readonly [does: string, Export: ExportClass])[] = [
  ['reads a snapshot page by page', ModelExport],
  [
    'returns what it has read already, in an outage',
    class extends ModelExport {
      protected override async reach(): Promise<void> {}
    },
  ],
];

/** Every mutant, in the order of the clauses that they break. */
export const exportMutants: readonly Mutant<ExportClass>[] = [
  ...mutantTable({
    'PE-1': {
      'leaves out the plant at the end of each page': class extends ModelExport {
        protected override page(rows: readonly Row[], from: number, to: number): readonly Row[] {
          return rows.slice(from, to - 1);
        }
      },
      'trims names': returning((plant) => ({ ...plant, name: plant.name.trim() })),
      'starts after the id 0': class extends ModelExport {
        protected override rows(): readonly Row[] {
          return super.rows().filter(([id]) => id > 0n);
        }
      },
    },
    'PE-2': {
      'reads in the order of insertion': sortedBy(() => 0),
      'orders ids as texts': sortedBy(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    },
    'PE-3': {
      'reads each page as it is at that time': class extends ModelExport {
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
    'PE-4': {
      'locks the plants until all are read': class extends ModelExport {
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
    'PE-5': {
      'releases its connection at the end only, and has ten of them': class extends ModelExport {
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
    'PE-6': {
      'waits for the end of an outage': class extends ModelExport {
        protected override async reach(): Promise<void> {
          await this.database.outage;
        }
      },
      'ends quietly if an outage begins between two pages': class extends ModelExport {
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
      'throws an error of its driver in an outage': class extends ModelExport {
        protected override async reach(): Promise<void> {
          if (this.database.outage) throw new Error('ECONNREFUSED');
        }
      },
    },
  }),
  ...optionalTextFields.flatMap((field): Mutant<ExportClass>[] => [
    ['PE-1', `reads an absent ${field} as an empty one`, returning((plant) => ({ [field]: '', ...plant }))],
    [
      'PE-1',
      `reads an absent ${field} as a property that is undefined`,
      returning((plant) => ({ [field]: undefined, ...plant })),
    ],
  ]),
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
