import type { StorePromises } from '@plant-store/domain';

/** Everything, until you know better: a promise that NewEngine cannot keep is set to false, with the reason here. */
export const newEnginePromises: StorePromises = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: true,
  shared: true,
  external: true,
  answersWithinMs: 2_000,
};
