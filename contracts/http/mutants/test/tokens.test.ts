import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import { realTime, runClause } from '@plant-store/contracts-kit';
import { expect, test } from 'vitest';
import { startService } from './start-service.ts';

const clause = httpContract.clauses.find(({ id }) => id === 'HC-22');

test.each<[tokens: string, given: Pick<DeployedService, 'token' | 'otherToken'>, skipped: readonly string[]]>([
  ['with letters of both cases', { token: 'Both-cases' }, []],
  ['without capitals', { token: 'no-capitals' }, ['the token in lower case']],
  ['without small letters', { token: 'NO-SMALL-LETTERS' }, ['the token in upper case']],
  ['of digits', { token: '123' }, ['the token in lower case', 'the token in upper case']],
  [
    'of one character',
    { token: 'T' },
    ['the token in upper case', 'the token without its last character', 'the token without its first character'],
  ],
  ['without capitals, and another one with them', { token: 'no-capitals', otherToken: 'Both-cases' }, []],
  ['of which one is the other and x', { token: 'Token', otherToken: 'Tokenx' }, []],
])('HC-22 names what it cannot check with a token %s', async (_, given, skipped) => {
  const accepted = [given.token, given.otherToken];
  await using running = await startService({
    tokens: () => ({
      verify: async (text) => (accepted.includes(text) ? { accepted: true, subject: 'test' } : { accepted: false }),
    }),
    given: { otherToken: given.token, ...given },
  });
  const result = clause && (await runClause(clause, running.service, realTime));
  if (skipped.length === 0) expect(result).toMatchObject({ verdict: 'passed' });
  else
    expect(result).toMatchObject({
      verdict: 'not-checked',
      message: expect.stringContaining(`passed, but for ${skipped.join(', ')}: pass a --token`),
    });
});
