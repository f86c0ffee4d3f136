import { join } from 'node:path';
import { expect, test } from 'vitest';
import { create, startService } from '../running-service.ts';
import { root } from '../scratch-copy.ts';
import { replaysRecipe } from './replays-recipe.ts';

replaysRecipe('docs/recipes/add-an-optional-field.md', 7, (copy) => {
  test('works with plants, and with services, from before', async () => {
    const environment = { DATABASE_URL: `sqlite:${join(copy().path, 'plants.db')}` };
    const [old, noted] = [
      { id: 1, name: 'Fern' },
      { id: 2, name: 'Moss', notes: 'kept in the shade' },
    ];
    const answers = (repository: string, plants: readonly object[]) => answersOf(environment, repository, plants);
    expect(await answers(root, [old])).toEqual([{ name: 'Fern' }]);
    expect(await answers(copy().path, [old, noted, noted])).toEqual([
      { name: 'Fern' },
      { name: 'Moss', notes: noted?.notes },
      { name: 'Moss', notes: noted?.notes },
    ]);
    // Rolled back.
    expect(await answers(root, [old, noted, { id: 3, name: 'Ivy' }])).toEqual([
      { name: 'Fern' },
      { name: 'Moss' },
      { name: 'Ivy' },
    ]);
    // And forward again: nothing was lost.
    expect(await answers(copy().path, [noted, { id: 3, name: 'Ivy' }])).toEqual([
      { name: 'Moss', notes: noted?.notes },
      { name: 'Ivy' },
    ]);
  });
});

/** What a service answers to plants, one after the other. */
async function answersOf(
  environment: Record<string, string>,
  repository: string,
  plants: readonly object[],
): Promise<unknown[]> {
  const service = await startService(environment, repository);
  try {
    const answers: unknown[] = [];
    for (const plant of plants) answers.push(await (await create(service.url, plant)).json());
    return answers;
  } finally {
    service.process.kill('SIGTERM');
    await service.ended;
  }
}
