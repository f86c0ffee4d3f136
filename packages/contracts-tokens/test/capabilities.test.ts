import { type ClauseResult, runContract } from '@plant-store/contracts-kit';
import { inVirtualTime } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';
import { tokenVerifierContract, type VerifierHarness } from '../src/index.ts';
import { ModelVerifier, verifierHarness } from './model/model-verifier.ts';

test('a verifier that depends on nothing outside need not survive an outage, and is told so', async () => {
  const results = await check(({ startOutage: _, ...subject }) => {
    return { ...subject, capabilities: { ...subject.capabilities, external: false } };
  });
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([
    expect.objectContaining({ id: 'TV-6', verdict: 'not-promised' }),
  ]);
});

test('one that promises external without an outage to test it with is broken', async () => {
  const results = await check(({ startOutage: _, ...subject }) => subject);
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([
    expect.objectContaining({ id: 'TV-6', message: expect.stringContaining('supply it, or do not promise external') }),
  ]);
});

test('an outage in which a verifier without keys still answers is none, and proves nothing', async () => {
  const results = await check((subject) => ({ ...subject, startOutage: async () => async () => {} }));
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([
    expect.objectContaining({
      id: 'TV-6',
      message: expect.stringContaining('expected: it throws VerifierUnavailable'),
    }),
  ]);
});

test('the bound of the manifest is the one that counts', async () => {
  const slow = class extends ModelVerifier {
    protected override async learn(): Promise<void> {
      await this.sleep(3_000);
    }
  };
  const results = await check((subject) => ({ ...subject, capabilities: { external: false, timeoutMs: 1_000 } }), slow);
  expect(results[0]).toHaveProperty('message', expect.stringContaining('an answer, or an error, within 1000 ms'));
});

async function check(
  change: (subject: VerifierHarness) => VerifierHarness,
  Verifier: typeof ModelVerifier = ModelVerifier,
): Promise<readonly ClauseResult[]> {
  const run = await inVirtualTime((tools) =>
    runContract(tokenVerifierContract, change(verifierHarness(Verifier, tools)), tools),
  );
  return run.results;
}
