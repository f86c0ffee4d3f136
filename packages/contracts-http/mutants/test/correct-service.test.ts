import { httpContract } from '@plant-store/contracts-http';
import { describe, expect, test } from 'vitest';
import { connectionMutants, plantMutants, requestMutants } from '../src/mutants.ts';
import type { Mutation } from '../src/mutation.ts';
import { rewriteAnswer } from '../src/mutations/answers.ts';
import { rewriteBody, rewriteBytes } from '../src/mutations/bodies.ts';
import { rewriteRequest } from '../src/mutations/requests.ts';
import { onParserError, rewriteIncoming } from '../src/mutations/server.ts';
import { visit } from '../src/run-mutant.ts';

const mutants = [...plantMutants, ...requestMutants, ...connectionMutants];

/** What the mutants are made with, changing nothing: what breaks a promise is the mutant's change alone. */
const withoutFlaw: Readonly<Record<string, Mutation>> = {
  'as it is': {},
  'with its answers looked at': rewriteAnswer(() => ({})),
  'with its requests looked at': rewriteRequest(() => {}),
  'with the bytes of bodies looked at': rewriteBytes((bytes) => bytes),
  'with bodies looked at': rewriteBody((body) => body),
  'with parser errors looked at': onParserError(() => false),
  'behind a proxy': rewriteIncoming((bytes) => bytes),
};

test('the HTTP contract gives each number to one clause', () => {
  const ids = httpContract.clauses.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

describe('the zoo of the HTTP contract', () => {
  test.concurrent.each(Object.entries(withoutFlaw))(
    'the good service keeps it, %s',
    { timeout: 120_000 },
    async (_, mutation) => {
      const results = await visit(mutation);
      expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    },
  );

  test('has a mutant for every clause, and no two alike', () => {
    expect(new Set(mutants.map(({ breaks }) => breaks))).toEqual(new Set(httpContract.clauses.map(({ id }) => id)));
    expect(new Set(mutants.map(({ does }) => does)).size).toBe(mutants.length);
  });
});
