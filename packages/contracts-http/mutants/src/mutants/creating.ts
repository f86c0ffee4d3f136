import { setImmediate } from 'node:timers/promises';
import { isSamePlant } from '@plant-store/domain';
import { idsTaken, plantsSentAgain } from '../also-breaks.ts';
import type { Mutant } from '../mutant.ts';
import { errorMessage, errorStatus } from '../mutations/responses.ts';
import { brokenRepository, comparing, mutatedUseCase } from '../mutations/use-case.ts';

/** Break HC-18 to HC-21: creating is idempotent, and an id is one plant's for ever. */
export const creating: readonly Mutant[] = [
  {
    does: 'returns id-taken for the same plant, sent again',
    breaks: 'HC-18',
    alsoBreaks: plantsSentAgain,
    mutation: mutatedUseCase((create) => {
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
    mutation: mutatedUseCase((create) => {
      const times = new Map<bigint, number>();
      return async (plant) => {
        const time = (times.get(plant.id) ?? 0) + 1;
        times.set(plant.id, time);
        return time > 3 ? { outcome: 'id-taken', id: plant.id } : create(plant);
      };
    }),
  },
  {
    does: 'fails for the same plant, sent again: an unexpected unique violation',
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
    does: 'compares the name only',
    breaks: 'HC-19',
    alsoBreaks: { clauses: ['HC-2', 'HC-13', 'HC-14'], because: 'they have plants that differ in the tag alone' },
    mutation: comparing((a, b) => a.name === b.name),
  },
  {
    does: 'refuses another plant, but has overwritten the one that was there',
    breaks: 'HC-19',
    alsoBreaks: {
      clauses: ['HC-2', 'HC-7', 'HC-9', 'HC-12', 'HC-20'],
      because: 'they send the first plant again after the one that was refused',
    },
    mutation: brokenRepository((rows) => async ({ id, ...plant }) => {
      const stored = rows.get(id);
      rows.set(id, plant);
      return stored ? { outcome: 'exists', plant: stored } : { outcome: 'added' };
    }),
  },
  {
    does: 'returns 409 if the id is taken',
    breaks: 'HC-19',
    alsoBreaks: { ...idsTaken, clauses: [...idsTaken.clauses, 'HC-64'] },
    mutation: errorStatus(['id-taken'], 409),
  },
  {
    does: 'returns the database’s message',
    breaks: 'HC-19',
    alsoBreaks: idsTaken,
    mutation: errorMessage(['id-taken'], () => 'insert into "plants" ("id") values ($1): duplicate key'),
  },
  {
    does: 'looks up, then writes, and lets another write in between',
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
    does: 'returns 200 to the loser of a race',
    breaks: 'HC-20',
    mutation: mutatedUseCase((create) => {
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
    does: 'returns id-taken to the loser of a race without comparing the plants',
    breaks: 'HC-21',
    mutation: mutatedUseCase((create) => {
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
    does: 'fails for the loser of a race: a unique violation after a lookup that found nothing',
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
