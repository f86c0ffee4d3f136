import { type DeployedService, httpContract, waitingClauses } from '@plant-store/contracts-http';
import { type Clause, type ClauseResult, realTime, runClause } from '@plant-store/contracts-kit';
import { startService } from './mutated-service.ts';
import type { Mutation } from './mutation.ts';

/**
 * Runs the contract against a service with a mutation. It can be called for any number of services: they take turns.
 *
 * @param clauses those of them that are checked; all by default.
 */
export function runMutant(mutation: Mutation, clauses = httpContract.clauses): Promise<readonly ClauseResult[]> {
  const result = (lanes[next % LANES] ?? Promise.resolve([])).then(async () => {
    await using running = await startService(mutation);
    const check = (clause: Clause<DeployedService>) => runClause(clause, running.service, realTime);
    // These only wait for slow requests to time out: meanwhile there is time for the others.
    const waiting = Promise.all(clauses.filter(({ id }) => waits.has(id)).map(check));
    const others: ClauseResult[] = [];
    for (const clause of clauses.filter(({ id }) => !waits.has(id))) others.push(await check(clause));
    return [...others, ...(await waiting)];
  });
  lanes[next % LANES] = result.catch(() => []);
  next += 1;
  return result;
}

const waits = new Set(waitingClauses);

/** Few enough that a service still responds in time on a machine that has other work. */
const LANES = 16;
const lanes: Promise<readonly ClauseResult[]>[] = [];
let next = 0;
