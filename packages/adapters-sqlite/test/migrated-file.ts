import { join } from 'node:path';
import { migrate } from '../src/writer/migrations.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The path of a migrated file without plants, until the test is over. */
export async function migratedFile(): Promise<string> {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  // In this process, which takes a tenth of the time.
  await migrate({ path, timeoutMs: 10_000 });
  return path;
}
