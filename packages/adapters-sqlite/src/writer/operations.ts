import { type OpenOptions, openDatabase } from '../driver/database.ts';
import type { Statements } from '../statements.ts';
import { type Engine, engineOn } from './engine.ts';
import { migrate, migrationStatus } from './migrations.ts';

/** What a writer can be asked to do: its own operations and, on the file that is open, the statements of the engine. */
export type Operations = Own & Omit<Engine, keyof Own>;

type Own = ReturnType<typeof ownOperations>['own'];

/** The operations by their names. A writer has one file open at most. */
export function writerOperations(): Operations {
  const { own, opened } = ownOperations();
  return new Proxy(own as Operations, {
    get: (_, name) => Reflect.get(own, name) ?? Reflect.get(opened(), name),
  });
}

function ownOperations() {
  let engine: Engine | undefined;

  function opened(): Engine {
    if (!engine) throw new Error('the file is not open');
    return engine;
  }

  const own = {
    async open(options: OpenOptions, statements: Statements): Promise<void> {
      engine = engineOn(await openDatabase(options), statements);
    },
    migrationStatus,
    migrate,
    async close(): Promise<void> {
      engine?.close();
      engine = undefined;
    },
  };
  return { own, opened };
}
