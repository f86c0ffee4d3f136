import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import { type Clause, type ClauseResult, type Mutant, realTime, runClause } from '@plant-store/contracts-kit';
import { testMutants } from '@plant-store/contracts-kit/vitest';
import { describe, expect } from 'vitest';
import * as change from '../src/changes.ts';
import { http } from '../src/mutants/http.ts';
import { plants } from '../src/mutants/plants.ts';
import { type Mutation, startService, token } from '../src/mutation.ts';

const mutants = Object.entries({ ...http, ...plants }).map(([title, mutation]): Mutant<Mutation> => {
  const [breaks = ''] = title.split(' ');
  return [breaks, title.slice(breaks.length + 1), mutation];
});
const takenIds = mutants
  .filter(([breaks]) => breaks === 'HC-11' || breaks === 'HC-12')
  .map(([breaks, does, mutation]) => [breaks, `${does}; its ids are taken`, { ...mutation, idsTaken: true }] as const);

/** Changes without an effect, which show that the changes themselves break no clause. */
const harmless: readonly Mutation[] = [
  change.response(() => ({})),
  change.request(() => {}),
  change.bytes((bytes) => bytes),
  change.parserError(() => false),
];
const limit = { bodyLimit: 4_096 };
const correct = Object.entries<Mutation>({
  'has its bodies inspected, of 4 KiB at most': { ...change.body((body) => body), options: limit, given: limit },
  'is behind a proxy, with everything else inspected': {
    incoming: (bytes) => bytes,
    server: (app, create) => harmless.forEach(({ server }) => void server?.(app, create)),
  },
});

describe('the HTTP contract', { timeout: 120_000, concurrent: true }, () => {
  testMutants(httpContract, { correct, mutants: [...mutants, ...takenIds] }, runMutant, {
    inspect: expectReadable,
    atOnce: true,
  });
});

/** Runs clauses against a service with a mutation. Only a few services run at a time, so that all of them respond in time. */
function runMutant(mutation: Mutation, clauses: readonly Clause<DeployedService>[]): Promise<readonly ClauseResult[]> {
  const lane = next++ % lanes.length;
  const result = Promise.resolve(lanes[lane]).then(async () => {
    await using running = await startService(mutation);
    const results: ClauseResult[] = [];
    for (const clause of clauses) results.push(await runClause(clause, running.service, realTime));
    return results;
  });
  lanes[lane] = result.catch(() => {});
  return result;
}

const lanes: Promise<unknown>[] = Array.from({ length: 16 });
let next = 0;

/** A message is short and printable, and does not contain the token. */
function expectReadable(message: string): void {
  expect(message).not.toContain(token);
  // No invisible character, no long repetition, no dump, no placeholder.
  expect(message).not.toMatch(/(?![ \n])[\p{C}\p{Z}]/u);
  expect(message).not.toMatch(/(.)\1{39}|[\da-f]{60}|\{(length|target|token|host|origin)\}/);
  // A message about a taken id names the earlier request.
  expect(message).not.toMatch(/^action: (?!.*(; then | at once)).*\n.*\n.*\(id-taken\)/);
  expect(message.length).toBeLessThan(1_500);
}
