import type { StorePromises } from '@plant-store/domain';
import { DEFAULT_ANSWER_WITHIN_MS } from './options.ts';

/** Plants are synced to a file before they are answered; other processes may use, and lock, the same file. */
export const sqlitePromises: StorePromises = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: false,
  shared: true,
  external: true,
  answersWithinMs: DEFAULT_ANSWER_WITHIN_MS,
};
