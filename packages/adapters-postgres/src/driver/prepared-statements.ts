import { hash } from 'node:crypto';
import pg from 'pg';
import type { Connections } from './connections.ts';
import { type Row, runStatements, type Statement } from './run-statements.ts';

/**
 * Runs statements under names, so that the server parses and plans each once per connection. If a table has changed and
 * the plan no longer fits, the statement is prepared again under another name. If a pooler gives every transaction
 * another connection and does not track prepared statements (PgBouncer before 1.21), the first one that fails is run
 * again without a name, and so is everything after it.
 */
export interface PreparedStatements {
  /** Runs a statement on its own, on any connection. @throws what {@link Connection.use} throws. */
  run(text: string, values: Statement['values']): Promise<readonly Row[]>;
}

/**
 * Makes them for the connections of a store.
 *
 * @param onError is called once, when statements are no longer prepared.
 */
export function preparedStatements(
  connections: Pick<Connections, 'run'>,
  onError: (error: Error) => void,
): PreparedStatements {
  const names = new Map<string, string>();
  let supported = true;

  function unsupported(cause: Error): void {
    if (supported)
      onError(
        new Error(
          `prepared statements are off, which costs throughput: ${cause.message}; let the pooler track them (PgBouncer 1.21, max_prepared_statements), then restart`,
          { cause },
        ),
      );
    supported = false;
  }

  async function runOn(client: pg.ClientBase, statement: Statement): Promise<readonly Row[]> {
    const { text } = statement;
    if (!supported) return runStatements(client, [statement]);
    const name = names.get(text) ?? nameOf(text);
    names.set(text, name);
    try {
      return await runStatements(client, [statement], name);
    } catch (error) {
      if (isOutdated(error)) {
        // Of several that fail at once, the first sets the new name.
        if (names.get(text) === name) names.set(text, nameOf(name));
      } else if (isUnknownOrTaken(error)) unsupported(error);
      else throw error;
      return runStatements(client, [statement]);
    }
  }

  return {
    run: (text, values) => connections.run((client) => runOn(client, { text, values })),
  };
}

/** Derived from the text alone: behind a pooler, a name has to mean the same to every client and version. */
export function nameOf(text: string): string {
  return `plant-store-${hash('sha256', text, 'hex').slice(0, 32)}`;
}

/** 0A000 from the revalidation of plans: the statement's no longer fits the table. Nothing was done. */
function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';
}

/** 26000, there is no such statement; 42P05, there is one already. Nothing was done. */
function isUnknownOrTaken(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && ['26000', '42P05'].includes(error.code ?? '');
}
