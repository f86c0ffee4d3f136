import type { Revision } from '@plant-store/contracts-kit';

/** The revisions of the PlantRepository contract. A published list never changes, so a new clause begins the next revision. */
export const repositoryRevisions: readonly Revision[] = [
  {
    name: '2026-12',
    clauses: [
      ...['PR-1', 'PR-2', 'PR-3', 'PR-4', 'PR-5', 'PR-6', 'PR-7', 'PR-8', 'PR-9', 'PR-10', 'PR-11', 'PR-12', 'PR-13'],
      ...['PR-14', 'PR-15', 'PR-16', 'PR-17', 'PR-18', 'PR-19', 'PR-20', 'PR-21', 'PR-22', 'PR-23', 'PR-24', 'PR-25'],
    ],
  },
];

/** The revisions of the PlantExport contract. */
export const exportRevisions: readonly Revision[] = [
  { name: '2026-12', clauses: ['PE-1', 'PE-2', 'PE-3', 'PE-4', 'PE-5', 'PE-6'] },
];

/** The revisions of the contract of migrations. */
export const migrationRevisions: readonly Revision[] = [
  { name: '2026-12', clauses: ['MG-1', 'MG-2', 'MG-3', 'MG-4', 'MG-5', 'MG-6'] },
];
