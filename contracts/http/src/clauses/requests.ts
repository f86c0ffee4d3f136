import { type Clause, NotChecked } from '@plant-store/contracts-kit';
import type { NewPlant } from '@plant-store/domain';
import { type DeployedService, targetOf } from '../deployed-service.ts';
import { exchange, expectVerdict } from '../expectations/exchange.ts';
import {
  expectCreated,
  expectError,
  expectNotStored,
  expectPlant,
  fail,
  following,
  forEachCase,
  type Kinds,
} from '../expectations/expectations.ts';
import { methodsAt, readDescription } from '../expectations/published-description.ts';
import { chunked, firstResponse, type RawRequest } from '../http/raw-request.ts';
import type { HttpResponse } from '../http/response-parser.ts';
import { aPlant, jsonOf } from '../new-plants.ts';

/** Who may send a request (RFC 6750), and to where: the paths and methods that are described, and no others. */
export const requestClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-19',
    title: 'the case of the scheme does not matter',
    check: (service) =>
      forEachCase(['Bearer', 'bearer', 'BEARER', 'bEaReR'], async (scheme) => {
        await expectVerdict(service, 'a scheme', { headers: { Authorization: `${scheme} ${service.token}` } });
      }),
  },
  {
    id: 'HC-20',
    title: 'several tokens are accepted concurrently',
    check: async (service) => {
      const { token, otherToken } = service;
      if (otherToken === undefined)
        throw new NotChecked('it takes a second token that the service accepts: verify --other-token');
      const plant = aPlant();
      for (const accepted of [token, otherToken, token]) {
        const about = 'the same plant with each of two tokens that are accepted';
        expectPlant(await firstResponse(service, about, { headers: bearer(accepted), body: jsonOf(plant) }), plant);
      }
    },
  },
  {
    id: 'HC-21',
    title:
      'a request without a bearer token in its Authorization header gets 401 with the bare challenge, and stores nothing',
    check: (service) =>
      forEachCase(withoutToken(service.token), (request) =>
        expectStranger(service, 'a request without a bearer token', request, 'missing-token'),
      ),
  },
  {
    id: 'HC-22',
    title: 'a token that is not accepted gets 401 with error="invalid_token", and stores nothing',
    check: (service) =>
      forEachCase(impostors(service.token), ([what, token]) =>
        expectStranger(service, what, { headers: bearer(token) }, 'token-not-accepted'),
      ),
  },
  {
    id: 'HC-23',
    title: 'two Authorization headers are refused, whatever their values',
    check: (service) => {
      const [valid, wrong] = [`Authorization: Bearer ${service.token}`, 'Authorization: Bearer wrong'];
      const both = [valid, wrong, 'AUTHORIZATION:'].flatMap((one) => [`${one}\r\n${valid}`, `${valid}\r\n${one}`]);
      return forEachCase(both, async (lines) => {
        const request = { headers: { Authorization: undefined }, lines: [lines] };
        await expectVerdict(service, 'two Authorization headers', request, 'malformed-http');
      });
    },
  },
  {
    id: 'HC-24',
    title: 'the token is checked before the body is read',
    check: (service) =>
      forEachCase(unread, async ({ headers, body }) => {
        for (const kind of ['missing-token', 'token-not-accepted'] as const) {
          const Authorization = kind === 'missing-token' ? undefined : 'Bearer wrong';
          const request = { headers: { ...headers, Authorization }, body };
          expectChallenge(await firstResponse(service, 'a body that is not to be read', request), kind);
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
        const kinds = allowed.length > 0 ? 'method-not-allowed' : path === '/' ? atRoot : 'no-such-path';
        await expectVerdict(service, 'another path', { path }, kinds);
      });
    },
  },
  {
    id: 'HC-26',
    title: 'a query after /plants is ignored, and the target may be in absolute-form, as a proxy sends it',
    check: async (service) => {
      const { origin } = new URL(service.baseUrl);
      await forEachCase(queries, async (query) => {
        const target = targetOf(service, `/plants?${query}`);
        await expectVerdict(service, 'a query', { path: `/plants?${query}` });
        await expectVerdict(service, 'a query in absolute-form', { line: `POST ${origin}${target} HTTP/1.1` });
      });
      for (const [target, kinds] of [
        [targetOf(service, '/nothing'), 'no-such-path'],
        ['', atRoot],
        ['?x=/plants', atRoot],
      ] as const)
        await expectVerdict(service, 'a target in absolute-form', { line: `POST ${origin}${target} HTTP/1.1` }, kinds);
    },
  },
  {
    id: 'HC-27',
    title:
      '/plants with a method that is not described gets 405, and Allow names those that are; HEAD gets no body; an unknown method, or one in lower case, is refused',
    check: async (service) => {
      const allowed = methodsAt(await readDescription(service), '/plants');
      const send = (method: string, kinds: Kinds) => expectVerdict(service, 'another method', { method }, kinds);
      await forEachCase(otherMethods, async (method) => {
        if (!allowed.includes(method)) expectAllow(await send(method, 'method-not-allowed'), allowed);
      });
      await forEachCase(['FOO', 'post', 'POSTS', 'P'], async (method) => {
        await send(method, ['malformed-http', 'method-not-allowed']);
      });
      const head = { ...noBody, method: 'HEAD' };
      const response = await exchange(service, 'HEAD /plants', head, { toHead: true });
      const status = allowed.includes('HEAD') ? 200 : 405;
      if (response.status !== status) fail(response, `${status} without a body`);
      if (status === 405) expectAllow(response, allowed);
    },
  },
  {
    id: 'HC-28',
    title: 'an invalid target is refused, and so are CONNECT and *, with any method',
    check: (service) =>
      forEachCase(badTargets, async (line) => {
        const response = await exchange(service, 'a request line', { ...noBody, line: `${line} HTTP/1.1` });
        expectError(response, /^CONNECT| \*/.test(line) ? 'malformed-http' : ['malformed-http', 'no-such-path']);
      }),
  },
];

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

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

/** Texts that resemble an accepted token, or try to be clever, and are not accepted. */
function impostors(token: string): (readonly [what: string, token: string])[] {
  const similar: [string, string][] = [
    ['the token in lower case', token.toLowerCase()],
    ['the token without its last character', token.slice(0, -1)],
    ['the token without its first character', token.slice(1)],
    ['the token with a character after it', `${token}x`],
    ['the token in quotes', `"${token}"`],
    ['another token', crypto.randomUUID()],
    ['a very long token', 'x'.repeat(8_000)],
    ['a token that is not ASCII', 'f\u00fcr'],
  ];
  return similar.filter(([, text]) => text !== token);
}

/** Bad bodies, and some that do not come. */
const unread: readonly (RawRequest & { readonly body: string })[] = [
  { body: '{"id":"7"}' },
  { headers: { 'Content-Type': 'text/plain' }, body: 'x' },
  { headers: { 'Content-Encoding': 'gzip' }, body: 'x' },
  { headers: { 'Content-Length': '100' }, body: '' },
  { headers: { 'Content-Length': String(2 ** 40) }, body: '' },
  { headers: chunked, body: '' },
];

/**
 * The request must be refused and store nothing. It must also be refused with a plant that has just been accepted with the
 * token: a cache, in the service or in front of it, must not ignore who sends the request.
 */
async function expectStranger(
  service: DeployedService,
  what: string,
  request: RawRequest,
  kind: Stranger,
): Promise<void> {
  const [plant, known] = [aPlant(), aPlant()];
  const headers = { Authorization: undefined, ...request.headers };
  const send = (body: NewPlant) => firstResponse(service, what, { ...request, headers, body: jsonOf(body) });
  const refused = await send(plant);
  expectChallenge(refused, kind);
  await expectNotStored(service, plant.id, refused);
  expectChallenge(following(await expectCreated(service, known), await send(known)), kind);
}

type Stranger = 'missing-token' | 'token-not-accepted';

/** The Error record and exactly the challenge of RFC 6750 section 3. */
function expectChallenge(response: HttpResponse, kind: Stranger): void {
  expectError(response, kind);
  const challenge = `Bearer realm="plant-store"${kind === 'missing-token' ? '' : ', error="invalid_token"'}`;
  if (response.headers.get('www-authenticate') !== challenge) fail(response, `401 with WWW-Authenticate: ${challenge}`);
}

/** `Allow` must have these methods and no other. */
function expectAllow(response: HttpResponse, allowed: readonly string[]): void {
  const named = response.headers.get('allow')?.split(/, */) ?? [];
  if (named.toSorted().join() !== allowed.toSorted().join()) fail(response, `405 with Allow: ${allowed.join(', ')}`);
}

/** A service may lead from its root to what it has, with GET alone. */
const atRoot = ['no-such-path', 'method-not-allowed'] as const;
const noBody = { headers: { 'Content-Type': undefined, 'Content-Length': undefined }, body: '' };

/** Paths below the base URL that resemble /plants, or that other services have. */
const otherPaths: readonly string[] = [
  '/',
  '/plant',
  '/Plants',
  '/plants/',
  '/plants/1',
  '//plants',
  '/plants%2F',
  '/plants%00',
  `/${'x'.repeat(1_000)}`,
];

/** Queries, which the operation does not have. */
const queries: readonly string[] = ['', 'id=7&name=n', 'x=%', '?', '__proto__=1', `x=${'y'.repeat(4_000)}`];

/** Methods that are registered with IANA, and PURGE. */
const otherMethods = ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY'];

/** Request lines whose target is invalid (RFC 9112 section 3.2). */
const badTargets: readonly string[] = [
  'CONNECT example.org:443',
  'GET *',
  'POST *',
  'POST plants',
  'POST ftp://example.org/plants',
  'POST http:///plants',
  'POST /plants#x',
  'POST /%',
];
