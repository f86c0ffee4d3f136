import { type Clause, NotChecked } from '@plant-store/contracts-kit';
import type { DeployedService } from '../deployed-service.ts';
import { expectCreated, expectError, expectNotStored, expectPlant } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { following } from '../expectations/stored-plants.ts';
import { exchange, firstResponse, rawRequest } from '../http/raw-request.ts';
import { sendRequest } from '../http/send-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { elsewhere, impostors, twoHeaders, withoutToken } from './authentication-cases.ts';
import { expectChallenge, expectStranger } from './authentication-expectations.ts';

/** Bearer tokens (RFC 6750). */
export const authenticationClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-31',
    title: 'neither the case of the scheme nor white space around the value matters',
    check: async (service) => {
      await forEachCase(['Bearer', 'bearer', 'BEARER', 'bEaReR'], async (scheme) => {
        const plant = aPlant();
        const headers = { authorization: `${scheme} ${service.token}` };
        expectPlant(await sendRequest(service, { headers, body: jsonOf(plant) }), plant);
      });
      const plant = aPlant();
      const spaced = { Authorization: undefined, authorization: ` \t Bearer ${service.token} \t ` };
      const bytes = rawRequest(service, { headers: spaced, body: jsonOf(plant) });
      expectPlant(await exchange(service, 'white space around the token', bytes), plant);
    },
  },
  {
    id: 'HC-32',
    title: 'several tokens are accepted concurrently',
    check: async (service) => {
      const { token, otherToken } = service;
      if (otherToken === undefined)
        throw new NotChecked('it takes a second token that the service accepts: verify --other-token');
      const plant = aPlant();
      for (const accepted of [token, otherToken, token]) {
        const about = 'the same plant with each of two tokens that are accepted';
        expectPlant(await sendRequest(service, { about, headers: bearer(accepted), body: jsonOf(plant) }), plant);
      }
    },
  },
  {
    id: 'HC-33',
    title: 'a request without a bearer token gets 401 with the bare challenge, and stores nothing',
    check: (service) =>
      forEachCase(withoutToken(service.token), ([about, headers]) =>
        expectStranger(service, { about, headers }, 'missing-token'),
      ),
  },
  {
    id: 'HC-34',
    title: 'a token that is not accepted gets 401 with error="invalid_token", and stores nothing',
    check: (service) =>
      forEachCase(impostors(service.token), ([about, token]) =>
        expectStranger(service, { about, headers: bearer(token) }, 'token-not-accepted'),
      ),
  },
  {
    id: 'HC-35',
    title: 'a token anywhere but in the Authorization header is ignored',
    check: (service) =>
      forEachCase(elsewhere(service.token), ([about, { headers, ...place }]) =>
        expectStranger(service, { about, headers: { ...noToken, ...headers }, ...place }, 'missing-token'),
      ),
  },
  {
    id: 'HC-36',
    title: 'two Authorization headers are refused, whatever their values',
    check: (service) =>
      forEachCase(twoHeaders(service.token), async ([what, lines]) => {
        const [plant, known] = [aPlant(), aPlant()];
        const send = (body: string) =>
          exchange(service, what, rawRequest(service, { headers: { Authorization: undefined }, lines, body }));
        const refused = await send(jsonOf(plant));
        expectError(refused, 'malformed-http');
        await expectNotStored(service, plant.id, refused);
        const letIn = await expectCreated(service, known);
        expectError(following(letIn, await send(jsonOf(known))), 'malformed-http');
      }),
  },
  {
    id: 'HC-37',
    title: 'the token is checked before the body is read',
    check: async (service) => {
      await forEachCase(badBodies, async ({ headers, body }) => {
        const about = 'a bad body without a token, then with a wrong one';
        expectChallenge(
          await sendRequest(service, { about, headers: { ...headers, ...noToken }, body }),
          'missing-token',
        );
        const wrong = { ...headers, ...bearer('wrong') };
        expectChallenge(await sendRequest(service, { about, headers: wrong, body }), 'token-not-accepted');
      });
      await forEachCase(framings, async (framing) => {
        const headers = { Authorization: undefined, 'Content-Length': undefined, ...framing };
        const what = 'a head without a token, and nothing of the body that it declares';
        const response = await firstResponse(service, what, rawRequest(service, { headers, body: '' }));
        expectChallenge(response, 'missing-token');
      });
    },
  },
];

const noToken = { authorization: undefined };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

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
