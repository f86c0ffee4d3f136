import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken, openTokenFile, parseTokenList, tokenListVerifier } from '@plant-store/adapters-tokens';
import { jwtVerifier, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract, type VerifierHarness } from '@plant-store/contracts-tokens';
import { scratchDirectory } from '@plant-store/testing';
import { describe, onTestFinished } from 'vitest';
import { startIssuer, withText } from './issuer.ts';
import { audience, issue, issuer } from './jwts.ts';
import { ec, keySet, refusedTokens, rsa } from './refused-tokens.ts';

const [listed, digested, filed] = [newToken(), newToken(), newToken()];
const list = parseTokenList(`${listed.token},${digested.entry}`);
const impostors = async () => [
  ...refusedTokens,
  ...[newToken().token, listed.entry, digested.entry, filed.entry.slice('sha256:'.length)],
];

const harnesses: Readonly<Record<string, () => Promise<VerifierHarness>>> = {
  'a list and a file': async () => ({
    capabilities: { external: false, timeoutMs: 1_000 },
    async prepare() {
      const path = join(await scratchDirectory(onTestFinished), 'tokens');
      await writeFile(path, filed.entry);
      const file = await openTokenFile({ path, onError() {} }, list);
      onTestFinished(() => file.close());
      return { verifier: tokenListVerifier(file), tokens: [filed.token, listed.token, digested.token] };
    },
    impostors,
  }),
  'a list beside keys at a URL, whose issuer is silent in its outage': async () => {
    const server = await startIssuer(onTestFinished, keySet);
    return {
      // A token waits 400 ms for its keys.
      capabilities: { external: true, timeoutMs: 1_000 },
      async prepare() {
        const keys = openJwksUrl({ url: server.url, onError() {}, cooldownMs: 100 });
        onTestFinished(() => keys.close());
        const verifier = tokenListVerifier({ current: list }, jwtVerifier({ keys, issuer, audience }));
        return { verifier, tokens: [issue(rsa), issue(ec), issue(ec, { sub: 'florist' })] };
      },
      impostors,
      async startOutage() {
        server.respondWith(() => {});
        return async () => server.respondWith(withText(keySet));
      },
    };
  },
};

describe.each(Object.entries(harnesses))('with %s:', (_, harness) => {
  describeContract(tokenVerifierContract, harness);
});
