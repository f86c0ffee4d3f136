import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import { type HttpMutation, request, token } from '@plant-store/contracts-http/mutants';
import { type Clause, type ClauseResult, realTime, runContract } from '@plant-store/contracts-kit';
import { testMutants } from '@plant-store/contracts-kit/vitest';
import { describe, expect, vi } from 'vitest';
import { startService } from './start-service.ts';

/** The contract, with the mutants of ids once more on a service where other plants have the fixed ids. */
const contract = {
  ...httpContract,
  clauses: httpContract.clauses.map(({ mutants = {}, ...clause }) => {
    const again = Object.entries(mutants).map(([does, mutation]) => [
      `${does}; its ids are taken`,
      { ...mutation, idsTaken: true },
    ]);
    return {
      ...clause,
      mutants: ['HC-11', 'HC-12'].includes(clause.id) ? { ...mutants, ...Object.fromEntries(again) } : mutants,
    };
  }),
};

const limit = { bodyLimit: 4_096 };
/** A correct service may be slow on a busy machine. A broken one may be silent, and then costs this time. */
const patient = { responseMs: 60_000 };
const correct: Readonly<Record<string, HttpMutation>> = {
  'has its bodies inspected, of 4 KiB at most': {
    body: (body) => body,
    options: limit,
    given: { ...limit, ...patient },
  },
  // Changes without an effect, which show that the changes themselves break no clause.
  'is behind a proxy, with everything else inspected': {
    incoming: (bytes) => bytes,
    bytes: (bytes) => bytes,
    response: () => ({}),
    server: (http) => request(() => {}).server?.(http),
    given: patient,
  },
};

// Most of a check is waiting. More services at a time would respond too late.
vi.setConfig({ maxConcurrency: 16 });
describe('the HTTP contract', { timeout: 300_000, concurrent: true }, () => {
  testMutants(contract, correct, runMutant, expectReadable);
});

/** Runs clauses against a service with a mutation. */
async function runMutant(
  mutation: HttpMutation,
  clauses: readonly Clause<DeployedService>[],
): Promise<readonly ClauseResult[]> {
  await using running = await startService(mutation);
  return await runContract({ ...contract, clauses }, running.service, realTime);
}

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
