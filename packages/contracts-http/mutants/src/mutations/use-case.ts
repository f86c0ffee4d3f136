import {
  type CreatePlant,
  createPlant,
  isSamePlant,
  type NewPlant,
  type Plant,
  type PlantRepository,
} from '@plant-store/domain';
import type { Mutation } from '../mutation.ts';

/** The use case is not the one of the domain. */
export function mutatedUseCase(make: (correct: CreatePlant) => CreatePlant): Mutation {
  return { createPlant: make };
}

/** The plant is changed before the use case gets it. */
export function changedPlant(change: (plant: NewPlant) => NewPlant): Mutation {
  return mutatedUseCase((create) => (plant) => create(change(plant)));
}

/** The use case of the domain over a repository that keeps no promise but to remember. */
export function brokenRepository(make: (rows: Map<bigint, Plant>) => PlantRepository['add']): Mutation {
  return { createPlant: () => createPlant({ add: make(new Map()) }) };
}

/** The use case compares names and tags in its own way, and what else a plant has in the right one. */
export function comparing(isSame: (a: Plant, b: Plant) => boolean): Mutation {
  return mutatedUseCase(() => {
    const rows = new Map<bigint, Plant>();
    return async ({ id, ...plant }) => {
      const stored = rows.get(id) ?? plant;
      rows.set(id, stored);
      return isSame(stored, plant) && isSamePlant(besides(stored), besides(plant))
        ? { outcome: 'created', plant }
        : { outcome: 'id-taken', id };
    };
  });
}

function besides({ name: _, tag: __, ...rest }: Plant): Plant {
  return { name: '', ...rest };
}
