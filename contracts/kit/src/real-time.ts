import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Tools } from './contract.ts';

/** Node's own timers. A sleep keeps no process alive: a clause's time-out would, for a minute. */
export const realTime: Tools = {
  sleep: (ms) => setTimeout(ms, undefined, { ref: false }),
  nextTurn: () => setImmediate(),
};
