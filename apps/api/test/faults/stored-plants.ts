import { DatabaseSync } from 'node:sqlite';
import { runSql } from '@plant-store/testing-postgres';
import { plantsInRows, type SentPlant } from './plants.ts';

/** What is stored under the ids that were sent, read from the database directly. */
export async function storedPlants(
  url: string,
  sent: readonly { readonly plant: SentPlant }[],
): Promise<ReadonlyMap<number, SentPlant>> {
  const rows = await runSql(url, 'SELECT * FROM plants WHERE id = ANY ($1::int8[])', [
    sent.map(({ plant }) => plant.id),
  ]);
  return plantsInRows(rows);
}

/** Every plant in a SQLite file, read from the file directly. */
export function plantsInFile(path: string): ReadonlyMap<number, SentPlant> {
  using database = new DatabaseSync(path, { readOnly: true });
  return plantsInRows(database.prepare('SELECT * FROM plants').all());
}
