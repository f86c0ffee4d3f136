import { setImmediate } from 'node:timers/promises';
import { isSamePlant } from '@plant-store/domain';
import { idsTaken, plantsSentAgain } from '../also-breaks.ts';
import type { Mutant } from '../mutant.ts';
import { errorMessage, errorStatus } from '../mutations/answers.ts';
import { brokenRepository, brokenUseCase, comparing } from '../mutations/use-case.ts';

/** Break HC-18 to HC-21: creating is idempotent, and an id is one plant's for ever. */
export const creating: readonly Mutant[] = [
  {
    does: 'says of the same plant, sent again, that its id is taken',
    breaks: 'HC-18',
    alsoBreaks: plantsSentAgain,
    mutation: brokenUseCase((create) => {
      const seen = new Set<bigint>();
      return async (plant) => {
        if (seen.has(plant.id)) return { outcome: 'id-taken', id: plant.id };
        seen.add(plant.id);
        return create(plant);
      };
    }),
  },
  {
    does: 'forgets after the third time that it was the same plant',
    breaks: 'HC-18',
    alsoBreaks: {
      clauses: ['HC-9', 'HC-19', 'HC-20', 'HC-21'],
      because: 'they send the same plant more than three times as well',
    },
    mutation: brokenUseCase((create) => {
      const times = new Map<bigint, number>();
      return async (plant) => {
        const time = (times.get(plant.id) ?? 0) + 1;
        times.set(plant.id, time);
        return time > 3 ? { outcome: 'id-taken', id: plant.id } : create(plant);
      };
    }),
  },
  {
    does: 'makes the same plant, sent again, an internal error: a unique violation that nobody expected',
    breaks: 'HC-18',
    alsoBreaks: plantsSentAgain,
    mutation: brokenRepository((rows) => async ({ id, ...plant }) => {
      const stored = rows.get(id);
      if (stored && isSamePlant(stored, plant)) throw new Error('duplicate key value violates unique constraint');
      if (stored) return { outcome: 'exists', plant: stored };
      rows.set(id, plant);
      return { outcome: 'added' };
    }),
  },
  {
    does: 'lets the last write win',
    breaks: 'HC-19',
    alsoBreaks: idsTaken,
    mutation: comparing(() => true),
  },
  {
    does: 'looks at the name only',
    breaks: 'HC-19',
    alsoBreaks: { clauses: ['HC-2', 'HC-13', 'HC-14'], because: 'they have plants that differ in the tag alone' },
    mutation: comparing((a, b) => a.name === b.name),
  },
  {
    does: 'refuses another plant, but has overwritten the one that was there',
    breaks: 'HC-19',
    alsoBreaks: {
      clauses: ['HC-2', 'HC-7', 'HC-9', 'HC-12', 'HC-20'],
      because: 'they send the first plant again behind the one that was refused',
    },
    mutation: brokenRepository((rows) => async ({ id, ...plant }) => {
      const stored = rows.get(id);
      rows.set(id, plant);
      return stored ? { outcome: 'exists', plant: stored } : { outcome: 'added' };
    }),
  },
  {
    does: 'answers 409 where the id is taken',
    breaks: 'HC-19',
    alsoBreaks: { ...idsTaken, clauses: [...idsTaken.clauses, 'HC-64'] },
    mutation: errorStatus(['id-taken'], 409),
  },
  {
    does: 'tells the caller what the database said',
    breaks: 'HC-19',
    alsoBreaks: idsTaken,
    mutation: errorMessage(['id-taken'], () => 'insert into "plants" ("id") values ($1): duplicate key'),
  },
  {
    does: 'looks first, then writes, and lets another one in between',
    breaks: 'HC-20',
    mutation: brokenRepository((rows) => async ({ id, ...plant }) => {
      const stored = rows.get(id);
      if (stored) return { outcome: 'exists', plant: stored };
      await setImmediate();
      rows.set(id, plant);
      return { outcome: 'added' };
    }),
  },
  {
    does: 'tells the loser of a race that it has won',
    breaks: 'HC-20',
    mutation: brokenUseCase((create) => {
      const racing = new Set<bigint>();
      return async (plant) => {
        const { id, ...own } = plant;
        if (racing.has(id)) return { outcome: 'created', plant: own };
        racing.add(id);
        await setImmediate();
        return create(plant).finally(() => racing.delete(id));
      };
    }),
  },
  {
    does: 'tells the loser of a race that the id is taken, without a look at its plant',
    breaks: 'HC-21',
    mutation: brokenUseCase((create) => {
      const racing = new Set<bigint>();
      return async (plant) => {
        if (racing.has(plant.id)) return { outcome: 'id-taken', id: plant.id };
        racing.add(plant.id);
        await setImmediate();
        return create(plant).finally(() => racing.delete(plant.id));
      };
    }),
  },
  {
    does: 'makes the loser of a race an internal error: a unique violation behind a look that found nothing',
    breaks: 'HC-21',
    alsoBreaks: { clauses: ['HC-20'], because: 'the losers there meet the same violation' },
    mutation: brokenRepository((rows) => async ({ id, ...plant }) => {
      const stored = rows.get(id);
      if (stored) return { outcome: 'exists', plant: stored };
      await setImmediate();
      if (rows.has(id)) throw new Error('duplicate key value violates unique constraint');
      rows.set(id, plant);
      return { outcome: 'added' };
    }),
  },
];
