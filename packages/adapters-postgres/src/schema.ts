/** The tables, as Kysely needs to know them. What makes them is in `migrations.ts`. */
export interface Schema {
  readonly plants: PlantsTable;
}

interface PlantsTable {
  /** Read and written as a bigint, so that every int64 is exact; see `pool.ts`. */
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}
