import { resolved, type Tools } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant, PlantStore } from '@plant-store/domain';
import { addNew } from '../expectations.ts';
import { inOpenStore, required } from '../prepared-store.ts';
import { plainPlant, plainPlants } from '../samples/plants.ts';
import type { PreparedStore, StoreHarness } from '../store-harness.ts';

/** Begins an outage while adds are in flight, and ends it in any case. */
export async function inOutage(
  harness: StoreHarness,
  tools: Tools,
  use: (outage: Outage) => Promise<void>,
): Promise<void> {
  await inOpenStore(harness, tools, async (store, prepared) => {
    const startOutage = required(prepared, 'startOutage', 'external');
    await addNew(store, plainPlant(1));
    await store.check().catch(() => {});
    const inFlight = plainPlants(20, 10).map((plant) => ({ plant, adding: store.plants.add(plant) }));
    const settled = Promise.allSettled(inFlight.map(({ adding }) => adding));
    const end = await resolved('called startOutage()', startOutage, 'it resolves once the outage has begun');
    let ended: Promise<void> | undefined;
    const endOutage = () => (ended ??= end());
    try {
      await use({ store, prepared, inFlight, endOutage });
    } finally {
      await endOutage();
      await settled;
    }
  });
}

/** A store that cannot answer. */
export interface Outage {
  /** Open since before the outage, and used. */
  readonly store: PlantStore;
  readonly prepared: PreparedStore;
  /** Adds that were in flight when it began. */
  readonly inFlight: readonly { readonly plant: NewPlant; readonly adding: Promise<AddResult> }[];
  readonly endOutage: () => Promise<void>;
}
