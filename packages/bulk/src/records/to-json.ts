import { type NewPlant, plantOf } from '@plant-store/domain';

/** A NewPlant as JSON, without a line feed. */
export function toJson(plant: NewPlant): string {
  // JSON.stringify does not support bigints.
  return `{"id":${plant.id},${JSON.stringify(plantOf(plant)).slice(1)}`;
}
