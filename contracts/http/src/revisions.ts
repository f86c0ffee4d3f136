import type { Revision } from '@plant-store/contracts-kit';

/** The frozen lists of clauses, oldest first. A new clause goes into a new list. */
export const revisions: readonly Revision[] = [
  {
    name: '2026-12',
    clauses:
      `HC-1 HC-2 HC-3 HC-4 HC-5 HC-6 HC-7 HC-8 HC-9 HC-10 HC-11 HC-12 HC-13 HC-14 HC-15 HC-16 HC-17 HC-18 HC-19 HC-20
     HC-21 HC-22 HC-23 HC-24 HC-25 HC-26 HC-27 HC-28 HC-29 HC-30 HC-31 HC-32 HC-33 HC-34 HC-35 HC-36 HC-37 HC-38
     HC-39 HC-40 HC-41 HC-42 HC-43`.split(/\s+/),
  },
];
