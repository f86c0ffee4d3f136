import type { StoreCapabilities } from '@plant-store/domain';
import { DEFAULT_TIMEOUT_MS } from '@plant-store/group-commit';

/** Plants are committed by a server before they are answered; any number of processes may use it, and it may fail. */
export const serverCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: true,
  shared: true,
  external: true,
  observed: true,
  timeoutMs: DEFAULT_TIMEOUT_MS,
};
