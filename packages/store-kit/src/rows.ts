import { type Plant, textFields } from '@plant-store/domain';

/** The columns of the table `plants`, in the order of its migrations: the id, and a text for each field of a plant. */
export const plantColumns: readonly (keyof PlantRow)[] = ['id', ...textFields];

/** A row of the table `plants`. Drivers read an int64 as a bigint. */
export type PlantRow = { readonly id: bigint } & {
  readonly [Field in keyof Plant]-?: undefined extends Plant[Field] ? string | null : string;
};

/** The tables that Kysely's queries use. */
export interface Database {
  readonly plants: PlantRow;
  readonly plant_store_migration: { readonly name: string; readonly timestamp: string };
}
