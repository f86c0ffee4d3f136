import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type DeployedService, httpContract, waitingClauses } from '@plant-store/contracts-http';
import { type Clause, type ClauseResult, runClause } from '@plant-store/contracts-kit';
import { startService } from './mutated-service.ts';
import type { Mutation } from './mutation.ts';
import { Turns } from './turns.ts';

/**
 * Runs the contract against a service with a mutation. Any number may be visited: they take turns.
 *
 * @param isChecked which clauses; all of them where it is left out.
 */
export function visit(
  mutation: Mutation,
  isChecked: (id: string) => boolean = () => true,
): Promise<readonly ClauseResult[]> {
  const clauses = httpContract.clauses.filter(({ id }) => isChecked(id));
  return services.take(async () => {
    await using running = await startService(mutation);
    const check = (clause: Clause<DeployedService>) => runClause(clause, running.service, tools);
    // These only wait for slow callers to be timed out: meanwhile there is time for the others.
    const waiting = Promise.all(clauses.filter(({ id }) => waits.has(id)).map(check));
    const others: ClauseResult[] = [];
    await work.take(async () => {
      for (const clause of clauses.filter(({ id }) => !waits.has(id))) others.push(await check(clause));
    });
    return [...others, ...(await waiting)];
  });
}

const waits = new Set(waitingClauses);
export const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }), nextTurn };

/** Few enough that a service is still served in time where the machine has other work. */
const services = new Turns(16);
const work = new Turns(4);
