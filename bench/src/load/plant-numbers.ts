import type { Order } from './load.ts';

/** Chooses the next plant to send. */
export interface PlantNumbers {
  next(): { readonly plant: number; readonly isNew: boolean };
  /** A new plant was created and can be repeated. */
  created(plant: number): void;
}

export function plantNumbers({ firstPlant, duplicates }: Order): PlantNumbers {
  const repeatable: number[] = [];
  let next = firstPlant;
  return {
    next() {
      if (duplicates > 0 && Math.random() < duplicates) {
        const plant = repeatable[Math.floor(Math.random() * repeatable.length)];
        if (plant !== undefined) return { plant, isNew: false };
      }
      return { plant: next++, isNew: true };
    },
    created(plant) {
      if (duplicates > 0) repeatable.push(plant);
    },
  };
}
