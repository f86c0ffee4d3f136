import { type OpenOptions, openDatabase } from '../driver/database.ts';
import type { Statements } from '../statements.ts';
import { type Engine, engineOn } from './engine.ts';
import { migrationStatus } from './migration-status.ts';

/** What a writer can be asked to do. One has one file open at most. */
export function writerOperations() {
  let engine: Engine | undefined;

  function opened(): Engine {
    if (!engine) throw new Error('the file is not open');
    return engine;
  }

  return {
    async open(options: OpenOptions, statements: Statements): Promise<void> {
      engine = engineOn(await openDatabase(options), statements);
    },
    insert: (...parameters: Parameters<Engine['insert']>) => opened().insert(...parameters),
    probe: (...parameters: Parameters<Engine['probe']>) => opened().probe(...parameters),
    migrationStatus: (options: OpenOptions) => migrationStatus(options),
    // Loaded when it is called: a store that is migrated needs no Kysely.
    migrate: async (options: OpenOptions) => (await import('./migrate.ts')).migrate(options),
    async close(): Promise<void> {
      engine?.close();
      engine = undefined;
    },
  };
}

export type Operations = ReturnType<typeof writerOperations>;
