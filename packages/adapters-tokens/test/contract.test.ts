import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  digestVerifier,
  newToken,
  openTokenFile,
  parseTokenEntry,
  parseTokenList,
  type TokenSource,
} from '@plant-store/adapters-tokens';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract, type VerifierHarness } from '@plant-store/contracts-tokens';
import { scratchDirectory } from '@plant-store/testing-servers';
import { describe, expect, onTestFinished } from 'vitest';

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
  const path = join(await scratchDirectory(onTestFinished), 'tokens');
  await writeFile(path, entries.join('\n'));
  const file = await openTokenFile({ path, onError: () => expect.unreachable() });
  onTestFinished(() => file.close());
  return file;
}

const harnessOf = (sourcesOf: () => Promise<readonly TokenSource[]>): VerifierHarness => ({
  capabilities: { external: false, timeoutMs: 1_000 },
  prepare: async () => ({ verifier: digestVerifier(await sourcesOf()), tokens: [...tokens] }),
  impostors: async () => [
    newToken().token,
    newToken().entry,
    ...issued.flatMap(({ entry }) => [entry, entry.slice('sha256:'.length)]),
  ],
});

describe.each(Object.entries(sources))('with %s:', (_, sourcesOf) => {
  describeContract(tokenVerifierContract, harnessOf(sourcesOf));
});
