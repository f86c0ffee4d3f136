import { type Clause, NotChecked } from '@plant-store/domain/contract';
import type { Answer } from './answer.ts';
import { ask } from './ask.ts';
import { elsewhere, impostors, twoHeaders, withoutToken } from './authentication-cases.ts';
import type { DeployedService } from './deployed-service.ts';
import { every } from './every.ts';
import { exchange, rawRequest } from './exchange.ts';
import { broken, expectError, expectNotStored, expectPlant } from './expectations.ts';
import { aPlant, jsonOf } from './new-plants.ts';

/** Bearer tokens (RFC 6750). */
export const authenticationClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-31',
    title: 'the scheme’s case does not matter, nor white space around the header’s value',
    check: async (service) => {
      await every(['Bearer', 'bearer', 'BEARER', 'bEaReR'], async (scheme) => {
        const plant = aPlant();
        const headers = { authorization: `${scheme} ${service.token}` };
        expectPlant(await ask(service, { headers, body: jsonOf(plant) }), plant);
      });
      const plant = aPlant();
      const spaced = { Authorization: undefined, authorization: ` \t Bearer ${service.token} \t ` };
      const bytes = rawRequest(service, { headers: spaced, body: jsonOf(plant) });
      expectPlant(await exchange(service, 'white space around the token', bytes), plant);
    },
  },
  {
    id: 'HC-32',
    title: 'several tokens are accepted side by side',
    check: async (service) => {
      const { token, otherToken } = service;
      if (otherToken === undefined)
        throw new NotChecked('it takes a second token that the service accepts: plant-store verify --other-token');
      const plant = aPlant();
      for (const accepted of [token, otherToken, token]) {
        const about = 'one of two tokens that are accepted';
        expectPlant(await ask(service, { about, headers: bearer(accepted), body: jsonOf(plant) }), plant);
      }
    },
  },
  {
    id: 'HC-33',
    title: 'a request without a bearer token is answered 401 with the bare challenge, and stores nothing',
    check: (service) =>
      every(withoutToken(service.token), async ([about, headers]) => {
        const plant = aPlant();
        const answer = await ask(service, { about, headers, body: jsonOf(plant) });
        expectChallenge(answer, 'missing-token');
        await expectNotStored(service, plant.id, answer);
      }),
  },
  {
    id: 'HC-34',
    title: 'a token that is not accepted is answered 401 with error="invalid_token", and stores nothing',
    check: (service) =>
      every(impostors(service.token), async ([about, token]) => {
        const plant = aPlant();
        const answer = await ask(service, { about, headers: bearer(token), body: jsonOf(plant) });
        expectChallenge(answer, 'token-not-accepted');
        await expectNotStored(service, plant.id, answer);
      }),
  },
  {
    id: 'HC-35',
    title: 'a token anywhere but in the Authorization header is no token',
    check: (service) =>
      every(elsewhere(service.token), async ([about, { path = '/plants', headers = {}, members = '' }]) => {
        const plant = aPlant();
        const body = `${jsonOf(plant).slice(0, -1)}${members}}`;
        const answer = await ask(service, { about, path, headers: { ...noToken, ...headers }, body });
        expectChallenge(answer, 'missing-token');
        await expectNotStored(service, plant.id, answer);
      }),
  },
  {
    id: 'HC-36',
    title: 'two Authorization headers are refused, whatever they hold',
    check: (service) =>
      every(twoHeaders(service.token), async ([what, lines]) => {
        const plant = aPlant();
        const bytes = rawRequest(service, { headers: { Authorization: undefined }, lines, body: jsonOf(plant) });
        const answer = await exchange(service, what, bytes);
        expectError(answer, 'malformed-http');
        await expectNotStored(service, plant.id, answer);
      }),
  },
  {
    id: 'HC-37',
    title: 'the token is checked before the body is looked at',
    check: async (service) => {
      await every(badBodies, async ({ headers, body }) => {
        const about = 'a bad body without a token, then with a wrong one';
        expectChallenge(await ask(service, { about, headers: { ...headers, ...noToken }, body }), 'missing-token');
        const wrong = { ...headers, ...bearer('wrong') };
        expectChallenge(await ask(service, { about, headers: wrong, body }), 'token-not-accepted');
      });
      await every(framings, async (framing) => {
        const headers = { Authorization: undefined, 'Content-Length': undefined, ...framing };
        const what = 'a head without a token, and nothing of the body that it declares';
        const answer = await exchange(service, what, rawRequest(service, { headers, body: '' }), { mustClose: true });
        expectChallenge(answer, 'missing-token');
      });
    },
  },
];

const noToken = { authorization: undefined };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The Error record and, to the letter, the challenge of RFC 6750 section 3. */
function expectChallenge(answer: Answer, kind: 'missing-token' | 'token-not-accepted'): void {
  expectError(answer, kind);
  const challenge = `Bearer realm="plant-store"${kind === 'missing-token' ? '' : ', error="invalid_token"'}`;
  if (answer.headers.get('www-authenticate') !== challenge) broken(answer, `401 with WWW-Authenticate: ${challenge}`);
}

const badBodies: readonly { readonly headers?: Readonly<Record<string, string | undefined>>; readonly body: string }[] =
  [
    { body: '' },
    { body: '{' },
    { body: '{"id":"7"}' },
    { headers: { 'content-type': 'text/plain' }, body: 'x' },
    { headers: { 'content-type': undefined }, body: 'x' },
    { headers: { 'content-encoding': 'gzip' }, body: 'x' },
  ];

const framings: readonly Readonly<Record<string, string>>[] = [
  { 'Content-Length': '100' },
  { 'Content-Length': String(2 ** 40) },
  { 'Transfer-Encoding': 'chunked' },
];
