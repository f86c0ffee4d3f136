import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';

/** Kysely's own SQLite dialect on an open database of `node:sqlite`, which stays the caller's to close. */
export function nodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  return new SqliteDialect({ database: asKyselyExpects(database) });
}

/** Kysely expects the interface of better-sqlite3, where parameters come as one array, and keeps no statement. */
function asKyselyExpects(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const prepared = statements.get(sql) ?? prepare(database, sql);
      statements.set(sql, prepared);
      return prepared;
    },
    close() {},
  };
}

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}
