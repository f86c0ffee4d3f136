import type { Kysely } from 'kysely';
import type { StoreErrors } from '../errors.ts';
import type { Database, PlantRow } from '../rows.ts';

/** What the adapter of a SQL database writes: an open database. Its methods throw the driver's own errors. */
export interface SqlDatabase {
  /** Kysely over the driver's own pool. It connects on first use, every statement has a timeout, and `destroy` closes it. */
  readonly db: Kysely<Database>;
  readonly errors: StoreErrors;
  /** The folder whose files are the migrations, in the order of their names. A released file never changes. */
  readonly migrations: string;
  /** The maximum rows of a page of the export. */
  readonly pageRows: number;
  /**
   * Inserts the rows whose ids are free in one commit, and resolves with their ids. It waits for locked rows, but only briefly.
   * In a transaction (`db.isTransaction`), triggers and constraints that are deferred MUST run at once.
   */
  insert(db: Kysely<Database>, rows: readonly PlantRow[]): Promise<readonly bigint[]>;
  /** Reads the rows with the ids. Resolves once they are durable, whoever wrote them. */
  read(ids: readonly bigint[]): Promise<readonly PlantRow[]>;
  /** Checks what plants that are written and rolled back cannot show, such as a table that a crash empties. @throws {StoreMisconfigured} */
  checkSettings(): Promise<void>;
  /** Commits something as durably as an insert, and leaves nothing behind. */
  commit(): Promise<void>;
  /** Calls `apply` while this process alone migrates, in a transaction if the engine has transactions for tables. */
  exclusively(apply: (db: Kysely<Database>) => Promise<void>): Promise<void>;
}

/**
 * Opens a database.
 *
 * @param timeoutMs the timeout of each statement, after which its connection is closed.
 * @param access `read` must not create or change anything.
 */
export type OpenSqlDatabase = (timeoutMs: number, access: 'read' | 'write') => SqlDatabase;
