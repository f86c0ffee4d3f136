import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { anyVerifier, digestVerifier, newToken, parseTokenEntry } from '@plant-store/adapters-tokens';
import { jwtVerifier, type KeySource, openJwksFile, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract, type VerifierHarness } from '@plant-store/contracts-tokens';
import type { TokenVerifier } from '@plant-store/domain';
import { scratchDirectory } from '@plant-store/testing-servers';
import { describe, expect, onTestFinished } from 'vitest';
import { audience, issue, issuer } from './fixed-verifier.ts';
import { startIssuer, withText } from './issuer.ts';
import { ec, keySet, refusedTokens, rsa } from './refused-tokens.ts';

const tokens = [issue(rsa), issue(ec), issue(ec, { sub: 'florist' })] as const;
const opaque = newToken();

const impostors = async () => [
  ...Object.values(refusedTokens).flatMap((refused) => refused.slice(0, 1)),
  newToken().token,
  opaque.entry,
];

const verifierOf = (keys: KeySource) => jwtVerifier({ keys, issuer, audience });
const notExpected = { onError: () => expect.unreachable() };

async function fromFile(): Promise<VerifierHarness> {
  const path = join(await scratchDirectory(onTestFinished), 'jwks.json');
  await writeFile(path, keySet);
  const prepare = async () => {
    const keys = await openJwksFile({ path, ...notExpected });
    onTestFinished(() => keys.close());
    return { verifier: verifierOf(keys), tokens };
  };
  return { capabilities: { external: false, timeoutMs: 1_000 }, prepare, impostors };
}

async function fromUrl(composed: (verifier: TokenVerifier) => TokenVerifier = (verifier) => verifier) {
  const server = await startIssuer({ onTestFinished });
  server.respondWith(withText(keySet));
  const prepare = async () => {
    const keys = openJwksUrl({ url: server.url, onError: () => {} });
    onTestFinished(() => keys.close());
    return { verifier: composed(verifierOf(keys)), tokens };
  };
  const startOutage = async () => {
    await server.goAway();
    return server.comeBack;
  };
  // A token waits 1,500 ms for its keys.
  const capabilities = { external: true, timeoutMs: 2_000 };
  return { capabilities, prepare, impostors, startOutage } satisfies VerifierHarness;
}

const digests = digestVerifier([{ digests: [parseTokenEntry(opaque.entry)] }]);

const harnesses: Readonly<Record<string, () => Promise<VerifierHarness>>> = {
  'keys in a file': fromFile,
  'keys at a URL': () => fromUrl(),
  'digests beside keys at a URL': () => fromUrl((verifier) => anyVerifier([digests, verifier])),
};

describe.each(Object.entries(harnesses))('with %s:', (_, harness) => {
  describeContract(tokenVerifierContract, harness);
});
