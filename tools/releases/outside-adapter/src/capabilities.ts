import type { StoreCapabilities } from '@plant-store/domain';

/** There is no lock, so only one process may use the file. A local disk responds or fails at once. */
export const fileLogCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: false,
  shared: false,
  external: false,
  observed: true,
  timeoutMs: 2_000,
};
