import { readdirSync } from 'node:fs';
import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import type { Mutants, Mutation } from './mutation.ts';

const folder = new URL('mutants/', import.meta.url);

// First those that are waited for: the others are checked meanwhile.
const names = new Set(['time-outs.ts', 'description.ts', ...readdirSync(folder)]);

/** Services that break one clause each: those of every file in the folder. */
export const mutants: readonly Mutant<Mutation>[] = (
  await Promise.all([...names].map((name): Promise<Record<string, Mutants>> => import(`${folder}${name}`)))
).flatMap((file) => Object.values(file).flatMap(mutantTable));
