import { anyVerifier, digestVerifier, newToken, parseTokenList } from '@plant-store/adapters-tokens';
import { jwtVerifier, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract, type VerifierHarness } from '@plant-store/contracts-tokens';
import { describe, onTestFinished } from 'vitest';
import { startIssuer, withText } from './jwt/issuer.ts';
import { audience, issue, issuer } from './jwt/jwts.ts';
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
    prepare: async () => ({
      verifier: digestVerifier([list, { digests: parseTokenList(filed.token, 'line') }]),
      tokens: [listed.token, digested.token, filed.token],
    }),
    impostors,
  }),
  'digests beside keys at a URL': async () => {
    const server = await startIssuer(onTestFinished);
    server.respondWith(withText(keySet));
    return {
      // A token waits 1,500 ms for its keys.
      capabilities: { external: true, timeoutMs: 2_000 },
      prepare: async () => {
        const keys = openJwksUrl({ url: server.url, onError: () => {} });
        onTestFinished(() => keys.close());
        return {
          verifier: anyVerifier([digestVerifier([list]), jwtVerifier({ keys, issuer, audience })]),
          tokens: jwts,
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
