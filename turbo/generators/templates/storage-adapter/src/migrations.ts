import type { NewEngineOptions } from './options.ts';

/** One migration of a store's schema, and whether the store has it. */
export interface MigrationState {
  readonly name: string;
  readonly applied: boolean;
}

/**
 * Applies what the place does not have yet. Safe to run again, and from several processes at once.
 *
 * @returns every migration, in order; none where NewEngine has no schema.
 * @throws {StoreUnavailable} when the place cannot be reached.
 */
export async function migrateNewEngine(options: NewEngineOptions): Promise<readonly MigrationState[]> {
  return newEngineMigrationStatus(options);
}

/** Which migrations the place has. Changes nothing. */
export async function newEngineMigrationStatus(_options: NewEngineOptions): Promise<readonly MigrationState[]> {
  return [];
}
