import { describe, expect, test } from 'vitest';
import {
  type AddResult,
  createPlant,
  INT64_MAX,
  InvalidNewPlant,
  type NewPlant,
  type PlantRepository,
  StoreUnavailable,
} from '../src/index.ts';

const fern: NewPlant = { id: 7n, name: 'Fern', tag: 'shade' };

describe('createPlant', () => {
  test('returns a plant that was added, without its id', async () => {
    const plants = returning({ outcome: 'added' });
    expect(await createPlant(plants)(fern)).toEqual({ outcome: 'created', plant: { name: 'Fern', tag: 'shade' } });
    expect(plants.added).toEqual([fern]);
  });

  test('leaves an absent tag out, and keeps an empty one', async () => {
    const create = createPlant(returning({ outcome: 'added' }));
    expect(await create({ id: 1n, name: 'a' })).toStrictEqual({ outcome: 'created', plant: { name: 'a' } });
    expect(await create({ id: 1n, name: 'a', tag: '' })).toStrictEqual({
      outcome: 'created',
      plant: { name: 'a', tag: '' },
    });
  });

  test('returns the same again for the same plant', async () => {
    const plants = returning({ outcome: 'exists', plant: { name: 'Fern', tag: 'shade' } });
    expect(await createPlant(plants)(fern)).toEqual({ outcome: 'created', plant: { name: 'Fern', tag: 'shade' } });
  });

  test.each([
    { name: 'Moss', tag: 'shade' },
    { name: 'Fern', tag: 'sun' },
    { name: 'Fern', tag: '' },
    { name: 'Fern' },
  ])('returns id-taken if %j has the id', async (plant) => {
    expect(await createPlant(returning({ outcome: 'exists', plant }))(fern)).toEqual({ outcome: 'id-taken', id: 7n });
  });

  test.each<AddResult>([{ outcome: 'added' }, { outcome: 'exists', plant: { name: 'Fern', tag: 'shade' } }])(
    'answers for what it was asked, whatever its caller changes meanwhile: %j',
    async (result) => {
      const asked: { -readonly [Field in keyof NewPlant]: NewPlant[Field] } = { ...fern };
      const creating = createPlant(returning(result))(asked);
      asked.name = 'Moss';
      expect(await creating).toEqual({ outcome: 'created', plant: { name: 'Fern', tag: 'shade' } });
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

  test('lets StoreUnavailable through', async () => {
    const unavailable = new StoreUnavailable('unreachable');
    const plants: Pick<PlantRepository, 'add'> = { add: () => Promise.reject(unavailable) };
    await expect(createPlant(plants)(fern)).rejects.toBe(unavailable);
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
