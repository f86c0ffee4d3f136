import { type Clause, NotChecked } from '@plant-store/contracts-kit';
import type { DeployedService } from '../deployed-service.ts';
import type { ErrorKind } from '../error-numbers.ts';
import { exchange, expectOutcome, expectOutcomes } from '../expectations/exchange.ts';
import {
  expectCreated,
  expectError,
  expectNotAllowed,
  expectPlant,
  fail,
  following,
  forEachCase,
} from '../expectations/expectations.ts';
import { methodsAt, readDescription } from '../expectations/published-description.ts';
import { chunked, firstResponse, noBody, type RawRequest } from '../http/raw-request.ts';
import * as change from '../mutation.ts';
import { aPlant } from '../new-plants.ts';

/** Authentication (RFC 6750), and the targets and methods that are described. */
export const requestClauses: readonly Clause<DeployedService, change.HttpMutation>[] = [
  {
    id: 'HC-19',
    shows: 'P7',
    title: 'the scheme Bearer is case-insensitive',
    check: (service) =>
      expectOutcomes(
        service,
        'a scheme',
        ['Bearer', 'bearer', 'BEARER', 'bEaReR'].map((scheme) => authorized(`${scheme} {token}`)),
      ),
    mutants: {
      'recognizes only Bearer and bearer as the scheme': change.inHeader('authorization', /^(?![Bb]earer).*/, ''),
    },
  },
  {
    id: 'HC-20',
    shows: 'P7',
    title: 'several tokens are accepted at the same time',
    check: async (service) => {
      const { token, otherToken } = service;
      if (otherToken === undefined)
        throw new NotChecked('needs a second token that the service accepts: pass --other-token');
      const plant = aPlant();
      for (const accepted of [token, otherToken, token]) {
        const about = 'the same plant with each of two tokens that are accepted';
        expectPlant(await firstResponse(service, about, authorized(`Bearer ${accepted}`), plant), plant);
      }
    },
    mutants: {
      'accepts one token only': {
        tokens: (correct) => ({
          verify: async (text) => (text === change.token ? correct.verify(text) : { accepted: false }),
        }),
      },
    },
  },
  {
    id: 'HC-21',
    shows: 'P7/F8',
    title:
      'a request without a bearer token in its Authorization header gets 401 with the bare challenge, and stores nothing',
    check: (service) =>
      forEachCase(withoutToken(service.token), (request) =>
        expectUnauthorized(service, 'a request without a bearer token', request, 'missing-token'),
      ),
    mutants: {
      'returns 401 without WWW-Authenticate': change.errorHeaders('missing-token', { 'www-authenticate': undefined }),
      'needs no Authorization header': change.header('authorization', (value) => value ?? `Bearer ${change.token}`),
      'reads the token from the query': change.header('authorization', (value, { url }) => {
        const given = new URL(`http://plants${url}`).searchParams.get('access_token');
        return given === null ? value : `Bearer ${given}`;
      }),
    },
  },
  {
    id: 'HC-22',
    shows: 'P7/F8',
    title: 'a token that is not accepted gets 401 with error="invalid_token", and stores nothing',
    check: async (service) => {
      const { requests, skipped } = wrongTokens(service);
      await forEachCase(requests, (request) =>
        expectUnauthorized(service, 'a token that is not accepted', request, 'token-not-accepted'),
      );
      const advice = 'pass a --token or an --other-token of several letters, capitals and small ones';
      if (skipped.length > 0) throw new NotChecked(`passed, but for ${skipped.join(', ')}: ${advice}`);
    },
    mutants: {
      'ignores the case of a token, none of whose letters is a capital': ignoringCase(change.token.toLowerCase()),
      'accepts the beginning of a token': {
        tokens: (correct) => ({
          verify: async (text) =>
            change.token.startsWith(text) ? { accepted: true, subject: 'test' } : correct.verify(text),
        }),
      },
      'leaves error="invalid_token" out': change.errorHeaders('token-not-accepted', {
        'www-authenticate': 'Bearer realm="plant-store"',
      }),
      'repeats the wrong token': change.record('token-not-accepted', (_, { headers }) => ({
        message: `${headers.authorization}?`,
      })),
    },
  },
  {
    id: 'HC-24',
    shows: 'P7/F7 P7/F8',
    title: 'the token is checked before the body is read',
    check: (service) =>
      forEachCase(bodiesNotToRead, async ({ headers, body }) => {
        for (const kind of ['missing-token', 'token-not-accepted'] as const) {
          const Authorization = kind === 'missing-token' ? undefined : 'Bearer wrong';
          const request = { headers: { ...headers, Authorization }, body };
          expectError(await firstResponse(service, 'a body that must not be read', request), kind);
        }
      }),
    mutants: {
      'waits for the body before it checks the token': {
        server(server) {
          const correct = server.listeners('request');
          server.removeAllListeners('request').on('request', (request, response) => {
            request.once('readable', () =>
              correct.forEach((listener) => void listener.call(server, request, response)),
            );
          });
        },
      },
      'checks the media type before the token': change.error('missing-token', (_outgoing, { headers }) =>
        headers['content-type'] === 'text/plain' ? { status: 400, body: { error: 40003, message: 'send JSON' } } : {},
      ),
    },
  },
  {
    id: 'HC-25',
    shows: 'P4/F7',
    title: 'a path that is not described gets 404, however similar to /plants; the root gets 404 or 405',
    check: async (service) => {
      const description = await readDescription(service);
      await forEachCase(otherPaths, async (path) => {
        const allowed = methodsAt(description, path);
        if (allowed.includes('POST')) return;
        const kinds = allowed.length > 0 ? 'method-not-allowed' : path === '/' ? rootKinds : 'no-such-path';
        await expectOutcome(service, 'another path', { path }, kinds);
      });
    },
    mutants: {
      'ignores a slash at the end': change.target((target) => target.replace(/^(\/plants)\/$/, '$1')),
      'declares the 404 as HTML': change.errorHeaders('no-such-path', { 'content-type': 'text/html' }),
    },
  },
  {
    id: 'HC-26',
    shows: 'P4/F7',
    title: 'a query after /plants is ignored',
    check: (service) => expectOutcomes(service, 'a query', queries),
    mutants: { 'compares the whole target with the path': change.target((target) => target.replace('?', '/')) },
  },
  {
    id: 'HC-27',
    shows: 'P4/F7',
    title:
      '/plants with a method that is not described gets 405, and Allow names those that are; HEAD gets no body; an unknown method is rejected',
    check: async (service) => {
      const allowed = methodsAt(await readDescription(service), '/plants');
      const others = otherMethods.filter((method) => !allowed.includes(method));
      await forEachCase(others, async (method) =>
        expectNotAllowed(await expectOutcome(service, 'another method', { method }, 'method-not-allowed'), allowed),
      );
      await expectOutcomes(service, 'an unknown method', unknownMethods, ['malformed-http', 'method-not-allowed']);
      const response = await exchange(service, 'HEAD /plants', { ...noBody, method: 'HEAD' });
      if (!allowed.includes('HEAD')) expectNotAllowed(response, allowed);
      else if (response.status !== 200) fail(response, '200 without a body');
    },
    mutants: {
      'returns 405 without Allow': change.errorHeaders('method-not-allowed', { allow: undefined }),
      'treats PUT as POST': change.incoming(/^PUT /, 'POST '),
      'returns 200 to HEAD': { response: (_, { method }) => (method === 'HEAD' ? { status: 200 } : {}) },
      'recognizes methods in any case': change.incoming(/^post /i, 'POST '),
      'returns 501 for a method that it does not recognize': change.parserError(501),
      'responds to HEAD with a body': change.request((request, response) => {
        if (request.method === 'HEAD') Object.assign(response, { _hasBody: true });
      }),
    },
  },
];

function authorized(Authorization: string): RawRequest {
  return { headers: { Authorization } };
}

/** Requests without a bearer token in the Authorization header. */
function withoutToken(token: string): readonly RawRequest[] {
  const inHeader = ['', 'Bearer', token, `Bearer${token}`, `BearerX ${token}`, `Basic ${btoa(`plant:${token}`)}`];
  return [
    ...inHeader.map((Authorization) => ({ headers: { Authorization } })),
    { path: `/plants?access_token=${encodeURIComponent(token)}` },
    { headers: { Cookie: `access_token=${token}` } },
    { headers: { 'Proxy-Authorization': `Bearer ${token}` } },
    { headers: { 'X-Api-Key': token } },
  ];
}

/** Requests with a token that is not accepted, and the names of those for which no accepted token differs enough. */
function wrongTokens({ token, otherToken = token }: DeployedService) {
  const accepted = [token, otherToken];
  const requests: RawRequest[] = [];
  const skipped: string[] = [];
  for (const [what, change] of Object.entries(similarTokens)) {
    const text = accepted.map(change).find((changed) => changed !== '' && !accepted.includes(changed));
    if (text === undefined) skipped.push(what);
    else requests.push({ what, ...authorized(`Bearer ${text}`) });
  }
  return { requests, skipped };
}

/** Texts that a careless service accepts for a token, and texts that are far from any. */
const similarTokens: Readonly<Record<string, (token: string) => string>> = {
  'the token in lower case': (token) => token.toLowerCase(),
  'the token in upper case': (token) => token.toUpperCase(),
  'the token without its last character': (token) => token.slice(0, -1),
  'the token without its first character': (token) => token.slice(1),
  'the token with a character after it': (token) => `${token}x`,
  'the token in quotes': (token) => `"${token}"`,
  'another token': () => crypto.randomUUID(),
  'a very long token': () => 'x'.repeat(8_000),
  'a token that is not ASCII': () => 'f\u00fcr',
};

/** Bodies that are invalid, and some that are never sent. */
const bodiesNotToRead: readonly (RawRequest & { readonly body: string })[] = [
  { body: '{"id":"7"}' },
  { headers: { 'Content-Type': 'text/plain' }, body: 'x' },
  { headers: { 'Content-Encoding': 'gzip' }, body: 'x' },
  { headers: { 'Content-Length': '100' }, body: '' },
  { headers: { 'Content-Length': String(2 ** 40) }, body: '' },
  { headers: chunked, body: '' },
];

/**
 * The request must get 401 and store nothing. It must also get 401 for a plant that was just created with the token, because a
 * cache must not ignore the token.
 */
async function expectUnauthorized(
  service: DeployedService,
  what: string,
  request: RawRequest,
  kind: ErrorKind,
): Promise<void> {
  const unauthorized = { ...request, headers: { Authorization: undefined, ...request.headers } };
  await expectOutcome(service, what, unauthorized, kind);
  const known = aPlant();
  const created = await expectCreated(service, known);
  expectError(following(created, await firstResponse(service, what, unauthorized, known)), kind);
}

/** A service may serve something at its root with GET. */
const rootKinds = ['no-such-path', 'method-not-allowed'] as const;

/** Paths below the base URL, most of which resemble /plants. */
const otherPaths: readonly string[] = [
  '/',
  '/plant',
  '/Plants',
  '/plants/',
  '/plants/1/2',
  '//plants',
  '/plants%2F',
  '/plants%00',
  `/${'x'.repeat(1_000)}`,
];

const queries = ['', 'id=7&name=n', 'x=%', '?', '__proto__=1', `x=${'y'.repeat(4_000)}`].map((query) => ({
  path: `/plants?${query}`,
}));

/** Methods that a parser may recognize: registered with IANA, and PURGE. */
const otherMethods = ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY'];
const unknownMethods = ['FOO', 'post'].map((method) => ({ method }));

/** A service with this token, whose case it ignores. */
function ignoringCase(token: string): change.HttpMutation {
  const accepted = { accepted: true, subject: 'test' } as const;
  return {
    tokens: ({ verify }) => ({
      verify: async (text) => (text.toLowerCase() === token.toLowerCase() ? accepted : verify(text)),
    }),
    given: { token },
  };
}
