// The program of the process that openInProcess starts.

import { show } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';

/** The result of a call or, if it failed, the text and the code of its error. */
export interface Response {
  readonly call: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly code?: unknown;
}

let store: PlantStore;

const methods: Readonly<Record<string, (...given: never[]) => Promise<unknown>>> = {
  async open(module: string, name: string, options: object) {
    store = await (await import(module))[name](options);
  },
  add: (plant: NewPlant) => store.plants.add(plant),
  check: () => store.check(),
  close: () => store.close(),
};

process.on('message', async ({ call, method, given }: { call: number; method: string; given: never[] }) => {
  const response: Promise<Response> | undefined = methods[method]?.(...given).then(
    (result) => ({ call, result }),
    (error) => ({ call, error: show(error), code: error?.code }),
  );
  process.send?.(await response);
});
// The parent has exited.
process.once('disconnect', () => process.exit());
