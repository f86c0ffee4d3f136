import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  digestVerifier,
  newToken,
  openTokenFile,
  parseTokenEntry,
  parseTokenList,
  type TokenSource,
} from '@plant-store/adapters-tokens';
import { runClause } from '@plant-store/contracts-kit';
import { tokenVerifierContract, type VerifierHarness } from '@plant-store/contracts-tokens';
import { describe, expect, onTestFinished, test } from 'vitest';
import { digestCapabilities } from '../src/capabilities.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const issued = [newToken(), newToken(), newToken()] as const;
const tokens = [issued[0].token, issued[1].token, issued[2].token] as const;

const sources: Readonly<Record<string, () => Promise<readonly TokenSource[]>>> = {
  'tokens in the clear': async () => [{ digests: parseTokenList(tokens.join(',')) }],
  'digests of tokens': async () => [{ digests: issued.map(({ entry }) => parseTokenEntry(entry)) }],
  'a file': async () => [await fileOf(issued[0].token, issued[1].entry, issued[2].entry)],
  'a list and a file together': async () => [
    { digests: parseTokenList(tokens[0]) },
    await fileOf(issued[1].entry, issued[2].token),
  ],
};

async function fileOf(...entries: readonly string[]): Promise<TokenSource> {
  const path = join(await temporaryDirectory(), 'tokens');
  await writeFile(path, entries.join('\n'));
  const file = await openTokenFile({ path, onError: () => expect.unreachable() });
  onTestFinished(() => file.close());
  return file;
}

describe.each(Object.entries(sources))('TokenVerifier contract, with %s', (_, sourcesOf) => {
  const subject: VerifierHarness = {
    capabilities: digestCapabilities,
    prepare: async () => ({ verifier: digestVerifier(await sourcesOf()), tokens: [...tokens] }),
    impostors: async () => [
      newToken().token,
      newToken().entry,
      ...issued.flatMap(({ entry }) => [entry, entry.slice('sha256:'.length)]),
    ],
  };

  test.for(tokenVerifierContract.clauses)('$id $title', async (clause, { skip }) => {
    const result = await runClause(clause, subject, { sleep: (ms) => sleep(ms, undefined, { ref: false }), nextTurn });
    if (result.verdict === 'not-promised') skip('not promised');
    expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'passed' });
  });
});
