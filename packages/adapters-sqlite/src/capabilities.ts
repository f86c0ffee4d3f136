import type { StoreCapabilities } from '@plant-store/domain';
import { DEFAULT_TIMEOUT_MS } from '@plant-store/group-commit';

/** Plants are synced to a file before they are answered; other processes may use, and lock, the same file. */
export const sqliteCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: false,
  shared: true,
  external: true,
  observed: true,
  timeoutMs: DEFAULT_TIMEOUT_MS,
};
