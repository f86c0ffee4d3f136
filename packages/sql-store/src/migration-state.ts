/** One migration of a store's schema, and whether the store has it. */
export interface MigrationState {
  readonly name: string;
  readonly applied: boolean;
}
