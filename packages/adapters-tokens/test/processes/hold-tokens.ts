// A process of its own: takes the tokens of the environment variable API_TOKENS and of a file, and the keys of the JWTs
// of one issuer from another file, verifies what comes on its standard input, writes a heap snapshot and ends by itself.
//
//   API_TOKENS=… node --conditions=development --expose-gc hold-tokens.ts FILE JWKS-FILE SNAPSHOT < TOKENS

import { text } from 'node:stream/consumers';
import { writeHeapSnapshot } from 'node:v8';
import { anyVerifier, digestVerifier, openTokenFile, parseTokenList } from '@plant-store/adapters-tokens';
import { jwtVerifier, openJwksFile } from '@plant-store/adapters-tokens/jwt';
import { audience, issuer } from '../jwt/fixed-verifier.ts';

const [path = '', jwksPath = '', snapshot = ''] = process.argv.slice(2);
const onError = (error: Error) => void process.stderr.write(error.message);
const file = await openTokenFile({ path, onError });
const keys = await openJwksFile({ path: jwksPath, onError });
const verifier = anyVerifier([
  digestVerifier([{ digests: parseTokenList(process.env['API_TOKENS'] ?? '') }, file]),
  jwtVerifier({ keys, issuer, audience }),
]);
for (const token of (await text(process.stdin)).split('\n'))
  process.stdout.write(`${(await verifier.verify(token)).accepted}\n`);

// What is still in use, and a text that is known to be: were the search blind, it would not find that either.
Object.assign(globalThis, { verifier, canary: ['canary', process.pid].join('-') });
// Not on the current stack.
setImmediate(() => {
  globalThis.gc?.();
  writeHeapSnapshot(snapshot);
});
