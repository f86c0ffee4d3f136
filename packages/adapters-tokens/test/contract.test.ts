import { setTimeout as sleep } from 'node:timers/promises';
import { anyVerifier, digestVerifier, newToken, parseTokenList } from '@plant-store/adapters-tokens';
import { jwtVerifier, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract, type VerifierHarness } from '@plant-store/contracts-tokens';
import { describe, onTestFinished } from 'vitest';
import { startIssuer, withText } from './jwt/issuer.ts';
import { audience, issue, issuer, keySetOf } from './jwt/jwts.ts';
import { ec, keySet, refusedTokens, rsa } from './jwt/refused-tokens.ts';

const [listed, digested, filed] = [newToken(), newToken(), newToken()];
const jwts = [issue(rsa), issue(ec), issue(ec, { sub: 'florist' })] as const;
const list = { digests: parseTokenList(`${listed.token},${digested.entry}`) };

const impostors = async () => [
  ...Object.values(refusedTokens).flatMap((refused) => refused.slice(0, 1)),
  ...[newToken().token, listed.entry, digested.entry, filed.entry.slice('sha256:'.length)],
];

const harnesses: Readonly<Record<string, () => Promise<VerifierHarness>>> = {
  'two lists': async () => ({
    capabilities: { external: false, timeoutMs: 1_000 },
    async prepare() {
      const file = { digests: parseTokenList(filed.token, 'line') };
      return {
        verifier: digestVerifier([file, list]),
        tokens: [filed.token, listed.token, digested.token],
        async revokeFirst() {
          file.digests = [];
        },
      };
    },
    impostors,
  }),
  'digests beside keys at a URL': async () => {
    const server = await startIssuer(onTestFinished);
    server.respondWith(withText(keySet));
    return {
      // A token waits 1,500 ms for its keys.
      capabilities: { external: true, timeoutMs: 2_000 },
      prepare: async () => {
        const keys = openJwksUrl({ url: server.url, onError: () => {}, cooldownMs: 100 });
        onTestFinished(() => keys.close());
        return {
          verifier: anyVerifier([digestVerifier([list]), jwtVerifier({ keys, issuer, audience })]),
          tokens: jwts,
          async revokeFirst() {
            server.respondWith(withText(keySetOf(ec)));
            for (const before = keys.current; keys.current === before; await sleep(20)) await keys.renew?.();
          },
        };
      },
      impostors,
      startOutage: async () => {
        await server.goAway();
        return server.comeBack;
      },
    };
  },
};

describe.each(Object.entries(harnesses))('with %s:', (_, harness) => {
  describeContract(tokenVerifierContract, harness);
});
