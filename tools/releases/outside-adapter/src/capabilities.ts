import type { StoreCapabilities } from '@plant-store/domain';

/** One process has the file: there is no lock. A local disk answers, or fails at once. */
export const fileLogCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: false,
  shared: false,
  external: false,
  observed: true,
  timeoutMs: 2_000,
};
