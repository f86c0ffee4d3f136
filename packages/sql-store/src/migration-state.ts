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
 * Kysely's own table of what it has applied, by `name`. Not its default name, which another application in the same
 * database may use.
 */
export const MIGRATION_TABLE = 'plant_store_migration';
