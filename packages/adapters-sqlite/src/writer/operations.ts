import { type OpenOptions, openDatabase } from '../driver/database.ts';
import type { Statements } from '../statements.ts';
import { type Engine, engineOn } from './engine.ts';
import { migrate, migrationStatus } from './migrations.ts';

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
    migrationStatus,
    migrate,
    async close(): Promise<void> {
      engine?.close();
      engine = undefined;
    },
  };
}

export type Operations = ReturnType<typeof writerOperations>;
