import type { StoreCapabilities } from '@plant-store/domain';
import { DEFAULT_ANSWER_WITHIN_MS } from './options.ts';

/** Plants are synced to a file before they are answered; other processes may use, and lock, the same file. */
export const sqliteCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: false,
  shared: true,
  external: true,
  timeoutMs: DEFAULT_ANSWER_WITHIN_MS,
};
