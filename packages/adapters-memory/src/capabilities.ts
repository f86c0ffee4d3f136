import type { StoreCapabilities } from '@plant-store/domain';

/** A Map forgets when the process ends, and nothing outside the process can fail. */
export const memoryCapabilities: StoreCapabilities = {
  durable: false,
  survivesCrash: false,
  survivesServerCrash: false,
  shared: false,
  external: false,
  observed: false,
  timeoutMs: 100,
};
