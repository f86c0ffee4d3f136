import { describe, expect, test } from 'vitest';
import {
  type AddResult,
  type Created,
  createPlant,
  type IdTaken,
  INT64_MAX,
  InvalidNewPlant,
  type NewPlant,
  type Plant,
  type PlantRepository,
} from '../src/index.ts';

const fern: NewPlant = { id: 7n, name: 'Fern', tag: 'shade' };

describe('createPlant', () => {
  const shady: Plant = { name: 'Fern', tag: 'shade' };
  test.each<[NewPlant, AddResult, Created | IdTaken]>([
    [fern, { outcome: 'added' }, { outcome: 'created', plant: shady, isNew: true }],
    [{ id: 1n, name: 'a' }, { outcome: 'added' }, { outcome: 'created', plant: { name: 'a' }, isNew: true }],
    [
      { id: 1n, name: 'a', tag: '' },
      { outcome: 'added' },
      { outcome: 'created', plant: { name: 'a', tag: '' }, isNew: true },
    ],
    [fern, { outcome: 'exists', plant: shady }, { outcome: 'created', plant: shady, isNew: false }],
    [fern, { outcome: 'exists', plant: { ...shady, name: 'Moss' } }, { outcome: 'id-taken', id: 7n }],
    [fern, { outcome: 'exists', plant: { ...shady, tag: '' } }, { outcome: 'id-taken', id: 7n }],
    [fern, { outcome: 'exists', plant: { name: 'Fern' } }, { outcome: 'id-taken', id: 7n }],
  ])('of %o, for which the store says %j, the result is %o', async (plant, said, result) => {
    const plants = returning(said);
    expect(await createPlant(plants)(plant)).toStrictEqual(result);
    expect(plants.added).toEqual([plant]);
  });

  test.each<AddResult>([{ outcome: 'added' }, { outcome: 'exists', plant: { name: 'Fern', tag: 'shade' } }])(
    'answers for what it was asked, whatever its caller changes meanwhile: %j',
    async (result) => {
      const asked: { -readonly [Field in keyof NewPlant]: NewPlant[Field] } = { ...fern };
      const creating = createPlant(returning(result))(asked);
      asked.name = 'Moss';
      expect(await creating).toMatchObject({ outcome: 'created', plant: { name: 'Fern', tag: 'shade' } });
    },
  );

  test('rejects a plant that breaks a rule of the domain before it reaches the store', async () => {
    const plants = returning({ outcome: 'added' });
    const creating = createPlant(plants)({ id: INT64_MAX + 1n, name: '\0' });
    await expect(creating).rejects.toThrow(InvalidNewPlant);
    await expect(creating).rejects.toMatchObject({
      name: 'InvalidNewPlant',
      fields: ['id', 'name'],
      message: expect.stringContaining('id, name breaks a rule'),
    });
    expect(plants.added).toEqual([]);
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
