/** The tables, as Kysely needs to know them. What makes them is in `migrations.ts`. */
export interface Schema {
  readonly plants: PlantsTable;
}

interface PlantsTable {
  /** Integers are read and written as bigints, so that every int64 is exact. */
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}
