import { ContractViolation, type Sentence } from '@plant-store/contracts-kit';
import type { NewPlant, Plant } from '@plant-store/domain';
import { type DeployedService, printable } from '../deployed-service.ts';
import { type ErrorKind, errorNumbers } from '../error-numbers.ts';
import { firstResponse, type RawRequest } from '../http/raw-request.ts';
import type { HttpResponse } from '../http/response-parser.ts';
import { aPlant } from '../new-plants.ts';

/** For kinds of error, a complete request that gets it. */
export const refusals = {
  'malformed-json': { body: '{' },
  'not-a-new-plant': { body: '{}' },
  'unsupported-media-type': { headers: { 'Content-Type': 'text/plain' } },
  'missing-token': { headers: { Authorization: undefined } },
  'token-not-accepted': { headers: { Authorization: 'Bearer wrong' } },
  'no-such-path': { path: '/nothing' },
  'method-not-allowed': { method: 'PUT' },
} as const satisfies Partial<Record<ErrorKind, RawRequest>>;

/** Those, and requests after which the connection may be closed. */
export const allRefusals: readonly RawRequest[] = [
  ...Object.values(refusals),
  { headers: { Host: undefined } },
  { headers: { 'Content-Length': String(10 ** 12) } },
];

/** One kind of error, or several of which each is right. */
export type Kinds = ErrorKind | readonly ErrorKind[];

/**
 * Sends a plant, or a JSON text, as a valid request does.
 * @param about what it is, for messages.
 */
export function create(service: DeployedService, plant: NewPlant | string, about = 'a plant'): Promise<HttpResponse> {
  return typeof plant === 'string'
    ? firstResponse(service, about, { body: plant })
    : firstResponse(service, about, {}, plant);
}

/**
 * Sends a plant, which must be stored, or must be stored unchanged since an earlier request: the response must be 200.
 * @returns the response, with the earlier request in its action.
 */
export async function expectCreated(
  service: DeployedService,
  plant: NewPlant,
  before?: HttpResponse,
  about = before ? 'the same plant again' : 'a plant',
): Promise<HttpResponse> {
  const created = await create(service, plant, about);
  const response = before ? following(before, created) : created;
  expectPlant(response, plant);
  return response;
}

/** The response must be 200 with this Plant and nothing else, to the last code unit. */
export function expectPlant(response: HttpResponse, stored: Plant): void {
  // Not by `plantOf`: the service may use that itself, and would forget the same members.
  const plant = Object.entries(stored).filter(([member, value]) => member !== 'id' && value !== undefined);
  const expected = () => {
    const shown = printable(response.service, JSON.stringify(Object.fromEntries(plant)));
    return `200, application/json, ${shown} and no other member`;
  };
  if (response.status !== 200) fail(response, expected);
  const actual = jsonObjectIn(response, expected);
  if (plant.some(([member, value]) => actual[member] !== value) || Object.keys(actual).length !== plant.length)
    fail(response, expected);
}

/** The response must be the Error record of one of the kinds, a 401 with its challenge; its message must name the fields. */
export function expectError(response: HttpResponse, kinds: Kinds, naming: readonly string[] = []): void {
  const wanted = [kinds].flat();
  const recordOf = (kind: ErrorKind) =>
    `${statusOf(kind)}, application/json, {"error": ${errorNumbers[kind]}, "message": …} (${kind})`;
  const expected = () => wanted.map(recordOf).join(', or ');
  if (!wanted.some((kind) => statusOf(kind) === response.status)) fail(response, expected);
  const { error, message, ...others } = jsonObjectIn(response, expected);
  if (!wanted.some((kind) => errorNumbers[kind] === error)) fail(response, expected);
  if (typeof message !== 'string' || Object.keys(others).length > 0) fail(response, expected);
  const challenge = { 40101: realm, 40102: `${realm}, error="invalid_token"` }[Number(error)];
  if (challenge && response.headers.get('www-authenticate') !== challenge)
    fail(response, `${expected()}, with WWW-Authenticate: ${challenge}`);
  const fault = faultOfMessage(response.service, message, naming);
  if (fault) fail(response, `${expected()}, whose message ${fault}`);
}

/** The challenge of a request without a token (RFC 6750 section 3). */
const realm = 'Bearer realm="plant-store"';

/** The response must be 405, and its `Allow` must have these methods and no other. */
export function expectNotAllowed(response: HttpResponse, allowed: readonly string[]): void {
  const named = response.headers.get('allow')?.split(/, */) ?? [];
  if (response.status !== 405 || named.toSorted().join() !== allowed.toSorted().join())
    fail(response, `405 with Allow: ${allowed.join(', ')}`);
}

/** Whether the response is the Error record of one of the kinds, where others are right as well. */
export function isError(response: HttpResponse, kinds: Kinds): boolean {
  try {
    expectError(response, kinds);
    return true;
  } catch {
    return false;
  }
}

/** No plant must have the id: another one can still be created under it. */
export async function expectNotStored(service: DeployedService, id: bigint, refused: HttpResponse): Promise<void> {
  const response = following(refused, await create(service, aPlant({ id }), 'another plant under its id'));
  if (response.status !== 200) fail(response, '200: a refused request stores nothing, so the id is free');
}

/**
 * The id must be taken, by the plant of an earlier request.
 * @param about what is unusual about the other plant, for messages.
 * @returns the response, with the earlier request in its action.
 */
export async function expectIdTaken(
  service: DeployedService,
  other: NewPlant | string,
  before: HttpResponse,
  about = 'another plant under the id just stored',
): Promise<HttpResponse> {
  const response = following(before, await create(service, other, about));
  expectError(response, 'id-taken');
  return response;
}

/**
 * The JSON text must be read as the plant: another plant under its id is then refused, and the same one is the same. In this
 * order, since the same plant would take an id that a misread text has left free.
 */
export async function expectReadAs(service: DeployedService, plant: NewPlant, json: string): Promise<HttpResponse> {
  const stored = await create(service, json);
  expectPlant(stored, plant);
  await expectIdTaken(service, aPlant({ id: plant.id }), stored);
  return expectCreated(service, plant, stored, 'the same plant, written plainly');
}

/** The response with the earlier request in its action: neither alone explains a failure. */
export function following(before: HttpResponse, response: HttpResponse): HttpResponse {
  return { ...response, action: () => `${before.action()}; got ${before.status}; then ${response.action()}` };
}

/** Fails the clause: the response is not the expected one. */
export function fail(response: HttpResponse, expected: Sentence): never {
  const headers = ['content-type', 'content-encoding', 'www-authenticate', 'allow', 'connection', 'x-request-id']
    .filter((name) => response.headers.has(name))
    .map((name) => `${name}: ${response.headers.get(name)}`);
  const actual = `${response.status}, ${headers.join(', ')}, body ${Buffer.from(response.body).toString() || 'empty'}`;
  throw new ContractViolation(response.action, printable(response.service, actual), expected);
}

/** The JSON object that the response must have, in UTF-8 and declared as such. */
export function jsonObjectIn(response: HttpResponse, expected: Sentence): Readonly<Record<string, unknown>> {
  // `charset` has no meaning for JSON (RFC 8259 section 11), and says the truth here.
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(response.headers.get('content-type') ?? ''))
    fail(response, expected);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(response.body));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // not JSON in UTF-8
  }
  return fail(response, expected);
}

function statusOf(kind: ErrorKind): number {
  return Math.floor(errorNumbers[kind] / 100);
}

/** What the message of an Error record lacks, as the end of a sentence; undefined if it is fine. */
function faultOfMessage(
  { token, baseUrl }: DeployedService,
  message: string,
  naming: readonly string[],
): string | undefined {
  if (message.trim() === '') return 'is not empty';
  const unnamed = naming.filter((field) => !new RegExp(`\\b${field}\\b`).test(message));
  if (unnamed.length > 0) return `names ${unnamed.join(' and ')}`;
  if (message.includes(token)) return 'does not contain the token';
  const { hostname } = new URL(baseUrl);
  // A host name of one word, «plants», may well be in a message as a word.
  if (/[.:]|localhost/.test(hostname) && message.includes(hostname)) return 'does not contain the host name';
  return internals.some((pattern) => pattern.test(message)) ? 'contains nothing of the inside' : undefined;
}

/** A stack, a file path, SQL, a host, and an error code. */
const internals: readonly RegExp[] = [
  /\n\s*at |\bat \S+ \(/,
  /\bnode_modules\b|\bnode:|(?:\/[\w.@-]+){2,}|[A-Z]:\\|\.[cm]?[jt]s\b/,
  /\b(?:select|insert|update|delete)\b.*\b(?:from|into|set|where)\b|\bsqlstate\b/is,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  /\bE(?:CONN|ADDR|HOST|NET)[A-Z]+\b|\b(?:FST_|ERR_|HPE_)\w+/,
];

/** Checks every case, some concurrently so that a long table does not take long. Stops at the first that throws. */
export async function forEachCase<T>(cases: Iterable<T>, check: (value: T) => Promise<void>): Promise<void> {
  const waiting = cases[Symbol.iterator]();
  let failed = false;
  // The iterator is shared: each worker takes the next case.
  async function work(): Promise<void> {
    for (let next = waiting.next(); !next.done && !failed; next = waiting.next())
      await check(next.value).catch((error) => {
        failed = true;
        throw error;
      });
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

/** Few enough for a service with a handful of database connections. */
const CONCURRENCY = 16;
