import { StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED, UnsafeStore, unfitTable } from '@plant-store/store-kit';
import pg from 'pg';
import { type FoundTable, faultsOf, nameOf, OWN_SETTINGS, singleTable, tablesIn } from './catalogue.ts';
import type { Session } from './session.ts';

/**
 * The table of plants of a store. It is found once, by the search path that the server has for the user, and is the same from
 * then on: a pooler lends sessions whose search path others have changed, and a schema named like the user comes first in it.
 */
export class PlantTable {
  #found: Pick<FoundTable, 'schema' | 'oid'> | undefined;
  #synchronousCommit = 'on';
  #isThere = false;

  /** @throws {StoreUnavailable} before it has been found. */
  get schema(): string {
    return this.#get().schema;
  }

  /** Its number in `pg_class`. @throws {StoreUnavailable} as above. */
  get oid(): string {
    return this.#get().oid;
  }

  /** For statements. @throws {StoreUnavailable} as above. */
  get name(): string {
    return `${pg.escapeIdentifier(this.schema)}.plants`;
  }

  #get(): Pick<FoundTable, 'schema' | 'oid'> {
    if (this.#found) return this.#found;
    throw new StoreUnavailable(`PostgreSQL: ${NOT_MIGRATED}`);
  }

  /** What commits wait for: as the server has it for the user, whatever others have set in a session, but never `off`. */
  get synchronousCommit(): string {
    return this.#synchronousCommit;
  }

  /**
   * Looks whether the table would keep every plant.
   *
   * @param withinMs how long it may take: a pooler whose database hangs accepts the connection and does not respond.
   * @param mayBeDistributed whether that is no fault.
   * @returns whether it is distributed by Citus.
   * @throws {UnsafeStore} with the object and what to do; {@link StoreUnavailable} when there is no such table.
   */
  async check(session: Session, withinMs: number, mayBeDistributed = false): Promise<boolean> {
    const table = await this.find(session, withinMs);
    // One that was dropped and restored is the same.
    const isAnother = this.#isThere && this.#found?.oid !== table.oid;
    const faults = [
      ...(isAnother
        ? ['it is another one than before, which is still there: restart the service if it has all plants']
        : []),
      ...(table.isDistributed && !mayBeDistributed
        ? ['Citus distributes it: use a URL that begins with citus://']
        : []),
      ...faultsOf(table),
    ];
    if (faults.length > 0) throw new UnsafeStore(`PostgreSQL: ${unfitTable(nameOf(table), faults)}`);
    this.#found = table;
    return table.isDistributed;
  }

  /** @throws {StoreMisconfigured} when there are several; {@link StoreUnavailable} when there is none. */
  async find(session: Session, withinMs: number): Promise<FoundTable> {
    // Several statements, so several results. Their transaction is one, and ends the settings.
    const results: unknown = await session.query({
      text: `${OWN_SETTINGS};
        select current_setting('synchronous_commit') as commits, coalesce(json_agg(found), '[]') as tables,
          exists (select from pg_class where oid = ${this.#found?.oid ?? 0}) as "isThere"
        from (${tablesIn(this.#found?.schema)}) as found`,
      query_timeout: withinMs,
    });
    const { rows } = (results as readonly { readonly rows: readonly [Found] }[]).at(-1) as { rows: readonly [Found] };
    const [{ commits, tables, isThere }] = rows;
    this.#isThere = isThere;
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
  /** Whether the table that was found before is there still, under whatever name. */
  readonly isThere: boolean;
}
