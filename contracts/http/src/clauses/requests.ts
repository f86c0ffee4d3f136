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
import { aPlant } from '../new-plants.ts';

/** Authentication (RFC 6750), and the targets and methods that are described. */
export const requestClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-19',
    title: 'the scheme Bearer is case-insensitive',
    check: (service) =>
      expectOutcomes(
        service,
        'a scheme',
        ['Bearer', 'bearer', 'BEARER', 'bEaReR'].map((scheme) => authorized(`${scheme} {token}`)),
      ),
  },
  {
    id: 'HC-20',
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
  },
  {
    id: 'HC-21',
    title:
      'a request without a bearer token in its Authorization header gets 401 with the bare challenge, and stores nothing',
    check: (service) =>
      forEachCase(withoutToken(service.token), (request) =>
        expectUnauthorized(service, 'a request without a bearer token', request, 'missing-token'),
      ),
  },
  {
    id: 'HC-22',
    title: 'a token that is not accepted gets 401 with error="invalid_token", and stores nothing',
    check: (service) =>
      forEachCase(wrongTokens(service.token), (request) =>
        expectUnauthorized(service, 'a token that is not accepted', request, 'token-not-accepted'),
      ),
  },
  {
    id: 'HC-23',
    title: 'two Authorization headers are rejected, whatever their values',
    check: (service) =>
      expectOutcomes(
        service,
        'two Authorization headers',
        ['Bearer {token}', 'Bearer wrong', ''].flatMap((other) => [
          { lines: [`AUTHORIZATION: ${other}`] },
          { ...authorized(other), lines: ['AUTHORIZATION: Bearer {token}'] },
        ]),
        'malformed-http',
      ),
  },
  {
    id: 'HC-24',
    title: 'the token is checked before the body is read',
    check: (service) =>
      forEachCase(bodiesNotToRead, async ({ headers, body }) => {
        for (const kind of ['missing-token', 'token-not-accepted'] as const) {
          const Authorization = kind === 'missing-token' ? undefined : 'Bearer wrong';
          const request = { headers: { ...headers, Authorization }, body };
          expectError(await firstResponse(service, 'a body that must not be read', request), kind);
        }
      }),
  },
  {
    id: 'HC-25',
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
  },
  {
    id: 'HC-26',
    title: 'a query after /plants is ignored, and the target may be in absolute-form, as a proxy sends it',
    check: async (service) => {
      await expectOutcomes(service, 'a query', queries);
      await expectOutcomes(service, 'a target in absolute-form of the root', rootTargets, rootKinds);
      const elsewhere = { line: 'POST {origin}{target}-or-not HTTP/1.1' };
      await expectOutcome(service, 'another target in absolute-form', elsewhere, 'no-such-path');
    },
  },
  {
    id: 'HC-27',
    title:
      '/plants with a method that is not described gets 405, and Allow names those that are; HEAD gets no body; an unknown method, or one in lower case, is rejected',
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
  },
  {
    id: 'HC-28',
    title: 'an invalid target is rejected, and so are CONNECT and *, with any method',
    check: async (service) => {
      await expectOutcomes(service, 'a request line', invalidTargets, ['malformed-http', 'no-such-path']);
      await expectOutcomes(service, 'a request line', unsupportedTargets, 'malformed-http');
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

/** Tokens that are not accepted, most of which resemble the accepted one. */
function wrongTokens(token: string): readonly RawRequest[] {
  const similar = {
    'the token in lower case': token.toLowerCase(),
    'the token without its last character': token.slice(0, -1),
    'the token without its first character': token.slice(1),
    'the token with a character after it': `${token}x`,
    'the token in quotes': `"${token}"`,
    'another token': crypto.randomUUID(),
    'a very long token': 'x'.repeat(8_000),
    'a token that is not ASCII': 'f\u00fcr',
  };
  return Object.entries(similar)
    .filter(([, text]) => text !== token)
    .map(([what, text]) => ({ what, ...authorized(`Bearer ${text}`) }));
}

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
const rootTargets = ['', '?x=/plants'].map((target) => ({ line: `POST {origin}${target} HTTP/1.1` }));

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

/** Queries, which the operation ignores, in origin-form and absolute-form. */
const queries = ['', 'id=7&name=n', 'x=%', '?', '__proto__=1', `x=${'y'.repeat(4_000)}`].flatMap((query) =>
  ['{target}', '{origin}{target}'].map((target) => ({ line: `POST ${target}?${query} HTTP/1.1` })),
);

/** Methods that a parser may recognize: registered with IANA, and PURGE. */
const otherMethods = ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY'];
const unknownMethods = ['FOO', 'post', 'POSTS', 'P'].map((method) => ({ method }));

/** Request lines whose target is invalid (RFC 9112 section 3.2). */
const invalidTargets = ['plants', 'ftp://example.org/plants', 'http:///plants', '/plants#x', '/%'].map((target) => ({
  ...noBody,
  line: `POST ${target} HTTP/1.1`,
}));

/** CONNECT and asterisk-form (RFC 9112 section 3.2), which the service does not support. */
const unsupportedTargets = ['CONNECT example.org:443', 'GET *', 'POST *'].map((line) => ({
  ...noBody,
  line: `${line} HTTP/1.1`,
}));
