import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Tools } from './contract.ts';
import { ContractViolation, type Sentence, textOf } from './contract-violation.ts';
import { show } from './show.ts';

/** Node's own timers. A sleep keeps no process alive: a clause's time-out would, for a minute. */
export const realTime: Tools = {
  sleep: (ms) => setTimeout(ms, undefined, { ref: false }),
  nextTurn: () => setImmediate(),
};

/**
 * Waits for a promise, but not for ever.
 * @throws {ContractViolation} if it has not settled after `ms` milliseconds.
 */
export async function within<T>(
  ms: number,
  { sleep }: Tools,
  action: Sentence,
  promise: Promise<T>,
  expected = `a result, or an error, within ${ms} ms`,
): Promise<T> {
  const settle = await Promise.race([
    // What an adapter in JavaScript returns may be no promise.
    Promise.resolve(promise).then((value) => () => value),
    // The error is made when it is thrown, not whenever the time is over.
    sleep(ms).then(() => () => {
      throw new ContractViolation(action, `no result after ${ms} ms`, expected);
    }),
  ]);
  return settle();
}

/** Repeats the attempt until it no longer throws, or the time is up. A violation is not attempted again. */
export async function eventually(tools: Tools, action: Sentence, attempt: () => Promise<unknown>): Promise<void> {
  let over = false;
  void tools.sleep(RECOVERY_MS).then(() => {
    over = true;
  });
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (error instanceof ContractViolation) throw error;
      if (over)
        throw new ContractViolation(`${textOf(action)}, for ${RECOVERY_MS} ms`, `threw ${show(error)}`, 'it succeeds');
      await tools.sleep(50);
    }
  }
}

/** From the end of an outage until an attempt must succeed; a client that was told 503 does not wait much longer. */
const RECOVERY_MS = 5_000;
