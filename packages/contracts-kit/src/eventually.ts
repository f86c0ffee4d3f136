import { ContractViolation, show, type Tools } from './contract.ts';

/** Attempts again and again, until it no longer throws or has had its time. A wrong answer is not attempted again. */
export async function eventually(tools: Tools, did: string, attempt: () => Promise<unknown>): Promise<void> {
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
      if (over) throw new ContractViolation(`${did}, for ${RECOVERY_MS} ms`, `threw ${show(error)}`, 'it succeeds');
      await tools.sleep(50);
    }
  }
}

/** From the end of an outage until an attempt has to succeed; a client that was told 503 does not wait much longer. */
const RECOVERY_MS = 5_000;
