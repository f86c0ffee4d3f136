import { runSql } from '@plant-store/testing-postgres';
import type { SentPlant } from './plants.ts';

/** What is stored under the ids that were sent, read from the database directly. */
export async function storedPlants(
  url: string,
  sent: readonly { readonly plant: SentPlant }[],
): Promise<ReadonlyMap<number, SentPlant>> {
  const rows = await runSql(url, 'SELECT id, name, tag FROM plants WHERE id = ANY ($1::int8[])', [
    sent.map(({ plant }) => plant.id),
  ]);
  return new Map(rows.map((row) => [Number(row['id']), plantOf(row)]));
}

function plantOf({ id, name, tag }: Record<string, unknown>): SentPlant {
  const plant = { id: Number(id), name: String(name) };
  return tag === null ? plant : { ...plant, tag: String(tag) };
}
