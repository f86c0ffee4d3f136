import type { StoreCapabilities } from '@plant-store/domain';

/** Everything, until you know better: a promise that NewEngine cannot keep is set to false, with the reason here. */
export const newEngineCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: true,
  shared: true,
  external: true,
  timeoutMs: 2_000,
};
