import { httpContract, waitingClauses } from '@plant-store/contracts-http';
import { type ClauseResult, realTime, runContract } from '@plant-store/contracts-kit';
import { describe, expect, test } from 'vitest';
import { startService } from '../src/mutated-service.ts';

/** Clauses that send bodies whose size depends on the limit. */
const affected = ['HC-12', 'HC-13', 'HC-25', 'HC-26', 'HC-27', 'HC-57', 'HC-64'];
const quick: typeof httpContract.clauses = httpContract.clauses.filter(({ id }) => !waitingClauses.includes(id));
const sized: typeof quick = quick.filter(({ id }) => affected.includes(id));

// Together: some clauses wait for a second until a connection is closed.
describe.concurrent('the HTTP contract, given the body limit of a service,', () => {
  test.each([
    [4_096, quick],
    [2 ** 20 + 2 ** 16, sized],
  ])('passes with %i bytes', { timeout: 60_000, concurrent: false }, async (bodyLimit, clauses) => {
    const { results } = await check(bodyLimit, bodyLimit, clauses);
    expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  });

  test.each([
    ['a byte more', 65_537, ['HC-26', 'HC-27']],
    ['a byte less', 65_535, ['HC-26']],
  ])('catches one that accepts %s', async (_, bodyLimit, failed) => {
    const { results } = await check(bodyLimit, 65_536);
    expect(failures(results)).toEqual(failed.map((id) => expect.stringMatching(`^${id} action: `)));
  });

  test('hints at --body-limit if a smaller limit was not given', async () => {
    const { results } = await check(
      4_096,
      65_536,
      sized.filter(({ id }) => id !== 'HC-57'),
    );
    const hinting = results.filter(
      (result) =>
        result.verdict === 'failed' &&
        result.message.endsWith('; or tell verify about a smaller limit with --body-limit'),
    );
    expect(hinting.map(({ id }) => id)).toEqual(['HC-12', 'HC-13', 'HC-25', 'HC-26']);
  });

  test('does not check a limit that no body of its own reaches', async () => {
    const { results } = await check(2 ** 30, 2 ** 30);
    const others = results.filter(({ verdict }) => verdict !== 'passed');
    expect(others.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['HC-26', 'not-checked'],
      ['HC-57', 'not-checked'],
    ]);
  });
});

/** With their messages: if the expectation fails, they say why. */
function failures(results: readonly ClauseResult[]): readonly string[] {
  return results.flatMap((result) => (result.verdict === 'failed' ? [`${result.id} ${result.message}`] : []));
}

async function check(bodyLimit: number, given: number, clauses = sized) {
  await using running = await startService({ options: { bodyLimit } });
  return await runContract({ ...httpContract, clauses }, { ...running.service, bodyLimit: given }, realTime);
}
