import type { Tools } from './contract.ts';
import { ContractViolation, type Sentence, textOf } from './contract-violation.ts';
import { show } from './show.ts';

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
