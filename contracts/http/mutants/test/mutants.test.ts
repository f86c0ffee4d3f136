import { httpContract } from '@plant-store/contracts-http';
import { testMutants } from '@plant-store/contracts-kit/vitest';
import { describe, expect } from 'vitest';
import { mutants } from '../src/mutants.ts';
import { token } from '../src/mutated-service.ts';
import type { Mutation } from '../src/mutation.ts';
import { rewriteBody, rewriteBytes } from '../src/mutations/bodies.ts';
import { rewriteRequest } from '../src/mutations/requests.ts';
import { rewriteResponse } from '../src/mutations/responses.ts';
import { onParserError } from '../src/mutations/server.ts';
import { runMutant } from '../src/run-mutant.ts';

/** What the mutants are made with, changing nothing: only the mutant's own change breaks a clause. */
const harmless: readonly Mutation[] = [
  rewriteResponse(() => ({})),
  rewriteRequest(() => {}),
  rewriteBytes((bytes) => bytes),
  onParserError(() => false),
];
const correct: readonly (readonly [does: string, mutation: Mutation])[] = [
  ['has bodies inspected', rewriteBody((body) => body)],
  [
    'is behind a proxy, with everything else inspected',
    { incoming: (bytes) => bytes, server: (app) => harmless.forEach(({ server }) => void server?.(app)) },
  ],
];

describe('the HTTP contract', { timeout: 120_000, concurrent: true }, () => {
  testMutants(httpContract, { correct, mutants }, runMutant, { inspect: expectReadable, atOnce: true });
});

/** A message says what was sent, received and expected, in words, briefly, and without the token. */
function expectReadable(message: string): void {
  expect(message).not.toContain(token);
  // Nothing invisible, no run of one character, no dump.
  expect(message).not.toMatch(/(?![ \n])[\p{C}\p{Z}]/u);
  expect(message).not.toMatch(/(.)\1{39}|[\da-f]{60}|LENGTH|TARGET/);
  // If an id is taken, or is not: also what was sent before.
  expect(message).not.toMatch(/^action: (?!.*(; then | at once)).*\n.*\n.*\(id-taken\)/);
  expect(message.length).toBeLessThan(1_500);
}
