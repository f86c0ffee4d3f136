import { StoreUnsafe } from './plant-store.ts';

/** The table that a store uses, and a sample of its plants, by which a copy of the table is told from another one. */
export interface KnownTable {
  /** Whether a table was accepted before. */
  readonly isKnown: boolean;
  /** Returns the ids that the table with this identity has to have. None if it is the known one. */
  expectedIn(identity: string): readonly bigint[];
  /**
   * Uses the table with this identity from now on.
   *
   * @param missing those of the expected ids that it lacks.
   * @throws {StoreUnsafe} if there are some.
   */
  accept(identity: string, missing: readonly bigint[]): void;
  /** Takes a sample of the ids, all of which are in the known table. Call it after each `accept` that follows a write. */
  remember(ids: readonly bigint[]): void;
}

/**
 * Notices that another table took the place of the table of plants. A complete copy is accepted. A new store accepts any table, so a
 * restart is the way to use an incomplete one. Plants that are deleted do not matter while the table stays the same.
 */
export function knownTable(): KnownTable {
  let known: string | undefined;
  let sample: readonly bigint[] = [];
  return {
    get isKnown() {
      return known !== undefined;
    },
    expectedIn: (identity) => (known === undefined || identity === known ? [] : sample),
    accept(identity, [missing]) {
      if (missing !== undefined) throw new StoreUnsafe(replacedTableMessage(missing));
      known = identity;
    },
    remember(ids) {
      if (ids.length > 0) sample = ids.slice(-SAMPLE_SIZE);
    },
  };
}

const replacedTableMessage = (id: bigint) =>
  `another table took the place of the table plants, and lacks plant ${id}: put the former table back or copy its plants, or restart the service to use this one`;

/** 10: a table that lacks plants lacks the latest, and a look-up by primary key is cheap. */
const SAMPLE_SIZE = 10;
