import type { AddResult, NewPlant } from '@plant-store/domain';

/** Returns the process id with the plant 1, blocks the process with the plant 2, and throws for others. */
export function openTestStore({ location }: { readonly location?: string }): object {
  if (location) throw new Error(`there is no store at ${location}`);
  const add = async ({ id }: NewPlant): Promise<AddResult> => {
    if (id > 2n) throw new RangeError(`no plant ${id}`);
    while (id === 2n);
    return { outcome: 'exists', plant: { name: `${process.pid}` } };
  };
  return { plants: { add }, check: async () => {}, close: async () => {} };
}
