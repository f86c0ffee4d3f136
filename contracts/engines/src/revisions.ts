import type { Revision } from '@plant-store/contracts-kit';

/** The revisions of the BatchEngine contract. A published list never changes. A new clause starts a new revision. */
export const engineRevisions: readonly Revision[] = [
  {
    name: '2026-12',
    clauses: [
      ...['GE-1', 'GE-2', 'GE-3', 'GE-4', 'GE-5', 'GE-6', 'GE-7'],
      ...['GE-8', 'GE-9', 'GE-10', 'GE-11', 'GE-12', 'GE-13', 'GE-14'],
    ],
  },
];
