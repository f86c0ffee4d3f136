import type { StoreCapabilities } from '@plant-store/domain';

/** Everything at first: set what NewEngine cannot do to false, with the reason here. */
export const newEngineCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: true,
  shared: true,
  external: true,
  observed: true,
  timeoutMs: 2_000,
};
