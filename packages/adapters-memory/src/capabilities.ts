import type { StorePromises } from '@plant-store/domain';

/** A Map forgets when the process ends, and nothing outside the process can fail. */
export const memoryPromises: StorePromises = {
  durable: false,
  survivesCrash: false,
  survivesServerCrash: false,
  shared: false,
  external: false,
  answersWithinMs: 100,
};
