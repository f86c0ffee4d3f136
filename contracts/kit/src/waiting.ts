import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Tools } from './contract.ts';
import { ContractViolation, type Sentence, textOf } from './contract-violation.ts';
import { show } from './show.ts';

/** Node's timers. A sleep does not keep the process alive, as the time-out of a clause would for a minute. */
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
    // An adapter in JavaScript may return something other than a promise.
    Promise.resolve(promise).then((value) => () => value),
    // Made only if it is thrown: the time also ends after a result.
    sleep(ms).then(() => () => {
      throw new ContractViolation(action, `no result after ${ms} ms`, expected);
    }),
  ]);
  return settle();
}

/**
 * Repeats an attempt until it does not throw.
 * @throws {ContractViolation} if it still throws after 20 s, or at once if the attempt throws one.
 */
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

/** Allowed between the end of an outage and a success: much longer than a recovery on a busy machine, which takes seconds. */
const RECOVERY_MS = 20_000;
