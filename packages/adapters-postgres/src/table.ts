import { StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED, StoreUnsafe, unfitTableMessage } from '@plant-store/store-kit';
import pg from 'pg';
import { type FoundTable, faultsOf, nameOf, RESET_SETTINGS, singleTable, tablesIn } from './catalogue.ts';
import type { Session } from './session.ts';

/**
 * The table of plants of a store. It is found once, by the search path that the server sets for the user. Later statements name its
 * schema, because other clients of a pooler may change a session's search path.
 */
export class PlantTable {
  #found: Pick<FoundTable, 'schema' | 'oid'> | undefined;
  #synchronousCommit = 'on';

  /** The schema of the table. @throws {StoreUnavailable} before the table has been found. */
  get schema(): string {
    return this.#get().schema;
  }

  /** The oid of the table. @throws {StoreUnavailable} before the table has been found. */
  get oid(): string {
    return this.#get().oid;
  }

  /** The qualified and quoted name. @throws {StoreUnavailable} before the table has been found. */
  get name(): string {
    return `${pg.escapeIdentifier(this.schema)}.plants`;
  }

  #get(): Pick<FoundTable, 'schema' | 'oid'> {
    if (this.#found) return this.#found;
    throw new StoreUnavailable(`PostgreSQL: ${NOT_MIGRATED}`);
  }

  /** The `synchronous_commit` that the server sets for the user, or `on` if that is `off`. */
  get synchronousCommit(): string {
    return this.#synchronousCommit;
  }

  /**
   * Finds the table and checks whether it can store every plant.
   *
   * @param timeoutMs the timeout of the query, because a pooler accepts connections even if its database hangs.
   * @param mayBeDistributed whether Citus may distribute the table.
   * @returns the table.
   * @throws {StoreUnsafe} with the object and what to do; {@link StoreUnavailable} if the table does not exist.
   */
  async check(session: Session, timeoutMs: number, mayBeDistributed = false): Promise<FoundTable> {
    const table = await this.find(session, timeoutMs);
    const faults = [
      ...(table.isDistributed && !mayBeDistributed
        ? ['Citus distributes it: use a URL that begins with citus://']
        : []),
      ...faultsOf(table),
    ];
    if (faults.length > 0) throw new StoreUnsafe(`PostgreSQL: ${unfitTableMessage(nameOf(table), faults)}`);
    this.#found = table;
    return table;
  }

  /** Finds the table. @throws {StoreMisconfigured} if there are several; {@link StoreUnavailable} if there is none. */
  async find(session: Session, timeoutMs: number): Promise<FoundTable> {
    // One message is one transaction, whose end resets the settings. pg returns a result for each statement.
    const results: unknown = await session.query({
      text: `${RESET_SETTINGS};
        select current_setting('synchronous_commit') as commits, coalesce(json_agg(found), '[]') as tables
        from (${tablesIn(this.#found?.schema)}) as found`,
      query_timeout: timeoutMs,
    });
    const { rows } = (results as readonly { readonly rows: readonly [Found] }[]).at(-1) as { rows: readonly [Found] };
    const [{ commits, tables }] = rows;
    this.#synchronousCommit = commits === 'off' ? 'on' : commits;
    const table = singleTable(tables);
    if (!table)
      throw new StoreUnavailable(
        `PostgreSQL: ${this.#found ? 'the table plants was dropped: restore it' : NOT_MIGRATED}`,
      );
    return table;
  }
}

interface Found {
  readonly commits: string;
  readonly tables: readonly FoundTable[];
}
