import type { NewPlant, Plant } from '@plant-store/domain';

/** The plants as they are at this moment, by their ids. They are not copied: a plant that is kept never changes. */
export function snapshotOf(plants: ReadonlyMap<bigint, Plant>): Iterable<NewPlant> {
  const rows = [...plants].sort(([a], [b]) => (a < b ? -1 : 1));
  return rows.map(([id, plant]) => ({ id, ...plant }));
}
