import { join } from 'node:path';
import { migrateSqlite } from '@plant-store/adapters-sqlite';
import { temporaryDirectory } from './temporary-directory.ts';

/** The path of a migrated file without plants, until the test is over. */
export async function migratedFile(): Promise<string> {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  await migrateSqlite({ path });
  return path;
}
