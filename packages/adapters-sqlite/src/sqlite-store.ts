import type { PlantStore } from '@plant-store/domain';
import { addPlant } from './add-plant.ts';
import { checkCanAdd } from './check-can-add.ts';
import { type DatabaseFile, openDatabaseFile } from './database-file.ts';
import type { SqliteOptions } from './options.ts';
import { openSession } from './session.ts';

/**
 * Opens a store that keeps plants in a SQLite file, which other processes of the host may share. The file has to be
 * migrated (`migrateSqlite`), before or after: until it is, adds and checks throw {@link StoreUnavailable}.
 *
 * @throws {StoreUnavailable} when the file cannot be opened, with what to do about it.
 * @throws {RangeError} when an option is out of its range.
 */
export async function openSqlite(options: SqliteOptions): Promise<PlantStore> {
  return storeOn(await openDatabaseFile(options));
}

/** The store on an open file, which it closes. */
export function storeOn(file: DatabaseFile): PlantStore {
  const session = openSession(file);
  return {
    plants: { add: addPlant(session) },
    check: () => session.run(checkCanAdd),
    close: () => session.close(),
  };
}
