import type { Revision } from '@plant-store/contracts-kit';

/** The revisions of the TokenVerifier contract. A published list never changes, so a new clause begins the next revision. */
export const tokenVerifierRevisions: readonly Revision[] = [
  { name: '2026-12', clauses: ['TV-1', 'TV-2', 'TV-3', 'TV-4', 'TV-5', 'TV-6'] },
];
