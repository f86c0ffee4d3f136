import { httpContract } from '@plant-store/contracts-http';
import { clausesFor, testCompleteness } from '@plant-store/contracts-kit/vitest';
import { describe, expect, test } from 'vitest';
import { connectionMutants, plantMutants, requestMutants } from '../src/mutants.ts';
import type { Mutation } from '../src/mutation.ts';
import { rewriteBody, rewriteBytes } from '../src/mutations/bodies.ts';
import { rewriteRequest } from '../src/mutations/requests.ts';
import { rewriteResponse } from '../src/mutations/responses.ts';
import { onParserError, rewriteIncoming } from '../src/mutations/server.ts';
import { runMutant } from '../src/run-mutant.ts';

const mutants = [...plantMutants, ...requestMutants, ...connectionMutants];

/** What the mutants are made with, changing nothing: only the mutant's own change breaks a clause. */
const withoutMistake: Readonly<Record<string, Mutation>> = {
  'as it is': {},
  'with its responses inspected': rewriteResponse(() => ({})),
  'with its requests inspected': rewriteRequest(() => {}),
  'with the bytes of bodies inspected': rewriteBytes((bytes) => bytes),
  'with bodies inspected': rewriteBody((body) => body),
  'with parser errors inspected': onParserError(() => false),
  'behind a proxy': rewriteIncoming((bytes) => bytes),
};

describe('the HTTP contract', () => {
  test.concurrent.each(Object.entries(withoutMistake))(
    'passes the correct service, %s',
    { timeout: 120_000 },
    async (_, mutation) => {
      // A few clauses. That the service as it is passes every clause is a test of adapters-http.
      const results = await runMutant(mutation, clausesFor(httpContract.clauses, ['HC-1', 'HC-10', 'HC-26', 'HC-33']));
      expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    },
  );

  testCompleteness(httpContract, mutants);
});
