import { readdirSync } from 'node:fs';
import type { Mutant } from './mutant.ts';

const folder = new URL('mutants/', import.meta.url);

// First those that are waited for: the others are checked meanwhile.
const names = new Set(['time-outs.ts', 'description.ts', ...readdirSync(folder)]);

/** Services that break one clause each: those of every file in the folder. */
export const mutants: readonly Mutant[] = (
  await Promise.all([...names].map((name): Promise<Record<string, readonly Mutant[]>> => import(`${folder}${name}`)))
).flatMap((file) => Object.values(file).flat());
