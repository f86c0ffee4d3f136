/** One migration of a store's schema, and whether the store has it. */
export interface MigrationState {
  readonly name: string;
  readonly applied: boolean;
}

/** Whether the store has every one. */
export function isMigrated(migrations: readonly MigrationState[]): boolean {
  return migrations.every(({ applied }) => applied);
}

/**
 * The table of what has been applied, by `name`. Not Kysely's default name, which another application in the same
 * database may use.
 */
export const MIGRATION_TABLE = 'plant_store_migration';
