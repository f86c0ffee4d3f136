import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { optionalTextFields } from '@plant-store/domain';
import type { ExportMutation, Row } from '../model/model-export.ts';

/** Exports that pass every clause. */
export const correctExports: readonly (readonly [does: string, mutation: ExportMutation])[] = [
  ['reads a snapshot page by page', () => ({})],
  ['returns what it has read already, in an outage', () => ({ reach: async () => {} })],
];

/** Every mutant, in the order of the clauses that they break. */
export const exportMutants: readonly Mutant<ExportMutation>[] = [
  ...mutantTable<ExportMutation>({
    'PE-1': {
      'leaves out the plant at the end of each page': () => ({ page: (rows, from, to) => rows.slice(from, to - 1) }),
    },
    'PE-2': {
      'reads in the order of insertion': sortedBy(() => 0),
      'orders ids as texts': sortedBy(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    },
    'PE-3': {
      'reads each page as it is at that time': ({ rows }) => ({ page: (_, from, to) => rows().slice(from, to) }),
    },
    'PE-4': {
      'locks the plants until all are read': ({ rows, reach }, { database }) => {
        let unlock: (() => Promise<void>) | undefined;
        return {
          rows() {
            unlock = database.startOutage();
            return rows();
          },
          reach: async () => (unlock ? undefined : reach()),
          release: async () => unlock?.(),
        };
      },
    },
    'PE-5': {
      'releases its connection at the end only, and has ten of them': ({ readAll }) => {
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
    // More than two: when it throws, what, and after how much.
    'PE-6': {
      'waits for the end of an outage': (_, { database }) => ({ reach: async () => database.outage }),
      'throws an error of its driver in an outage': (_, { database }) => ({
        async reach() {
          if (database.outage) throw new Error('ECONNREFUSED');
        },
      }),
      'ends quietly if an outage begins between two pages': ({ readAll }) => ({
        async *readAll() {
          let isReading = false;
          try {
            for await (const plant of readAll()) {
              isReading = true;
              yield plant;
            }
          } catch (error) {
            if (!isReading) throw error;
          }
        },
      }),
    },
  }),
  ...optionalTextFields.map((field): Mutant<ExportMutation> => {
    const returning: ExportMutation = ({ returned }) => ({
      returned: (row) => ({ [field]: undefined, ...returned(row) }),
    });
    return ['PE-1', `reads an absent ${field} as a property that is undefined`, returning];
  }),
];

function sortedBy(compare: (a: Row, b: Row) => number): ExportMutation {
  return (_, { database }) => ({ rows: () => [...database.rows].sort(compare) });
}
