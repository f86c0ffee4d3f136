import { describe, expect, test } from 'vitest';
import {
  type AddResult,
  type CreateResult,
  makeCreatePlant,
  type NewPlant,
  type Plant,
  type PlantRepository,
  type ValidNewPlant,
} from '../src/index.ts';

const fern: NewPlant = { id: 7n, name: 'Fern', tag: 'shade' };

describe('createPlant', () => {
  const shady: Plant = { name: 'Fern', tag: 'shade' };
  test.each<[NewPlant, AddResult, CreateResult]>([
    [fern, { outcome: 'added' }, { outcome: 'created', plant: shady }],
    [{ id: 1n, name: 'a' }, { outcome: 'added' }, { outcome: 'created', plant: { name: 'a' } }],
    [fern, { outcome: 'exists', plant: shady }, { outcome: 'created', plant: shady }],
    [fern, { outcome: 'exists', plant: { ...shady, name: 'Moss' } }, { outcome: 'id-taken' }],
    [fern, { outcome: 'exists', plant: { ...shady, tag: '' } }, { outcome: 'id-taken' }],
    [fern, { outcome: 'exists', plant: { name: 'Fern' } }, { outcome: 'id-taken' }],
  ])('of %o, for which the store says %j, the result is %o', async (plant, said, result) => {
    const plants = returning(said);
    expect(await makeCreatePlant(plants)(plant as ValidNewPlant)).toStrictEqual(result);
    expect(plants.added).toEqual([plant]);
  });
});

/** A repository that returns one result, and records what it was given. */
function returning(result: AddResult): Pick<PlantRepository, 'add'> & { readonly added: NewPlant[] } {
  const added: NewPlant[] = [];
  return {
    added,
    add: async (plant) => {
      added.push(plant);
      return result;
    },
  };
}
