import { ContractViolation, type Sentence } from '@plant-store/contracts-kit';
import type { NewPlant, Plant } from '@plant-store/domain';
import { type DeployedService, printable } from '../deployed-service.ts';
import { type ErrorKind, type ErrorNameOrNumber, numberOf } from '../error-numbers.ts';
import { firstResponse, type RawRequest } from '../http/raw-request.ts';
import type { HttpResponse } from '../http/response-parser.ts';
import { aPlant } from '../new-plants.ts';

/** A complete request for each of these kinds of error. */
export const rejectedRequests = {
  'malformed-json': { body: '{' },
  'not-a-new-plant': { body: '{}' },
  'unsupported-media-type': { headers: { 'Content-Type': 'text/plain' } },
  'missing-token': { headers: { Authorization: undefined } },
  'token-not-accepted': { headers: { Authorization: 'Bearer wrong' } },
  'no-such-path': { path: '/nothing' },
  'method-not-allowed': { method: 'PUT' },
} as const satisfies Partial<Record<ErrorKind, RawRequest>>;

/** Those requests, and requests after which the service may close the connection. */
export const allRejectedRequests: readonly RawRequest[] = [
  ...Object.values(rejectedRequests),
  { headers: { Host: undefined } },
  { headers: { 'Content-Length': String(10 ** 12) } },
];

/** A kind of error, or several that are all allowed. */
export type Kinds = ErrorNameOrNumber | readonly ErrorNameOrNumber[];

/**
 * Sends a plant or a JSON text in a valid request.
 * @param about what is sent, for messages.
 */
export function create(service: DeployedService, plant: NewPlant | string, about = 'a plant'): Promise<HttpResponse> {
  return typeof plant === 'string'
    ? firstResponse(service, about, { body: plant })
    : firstResponse(service, about, {}, plant);
}

/**
 * Sends a plant, for which the response must be 200.
 * @param before the response to an earlier request, which is added to the action in messages.
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

/** The response must be 200 with exactly this Plant. */
export function expectPlant(response: HttpResponse, stored: Plant): void {
  // Not `plantOf`, because the service may use it, and would forget the same members.
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

/** The response must be an Error record of one of the kinds, whose message names the fields; a 401 has its challenge. */
export function expectError(response: HttpResponse, kinds: Kinds, naming: readonly string[] = []): void {
  const wanted = [kinds].flat();
  const recordOf = (kind: ErrorNameOrNumber) =>
    `${statusOf(kind)}, application/json, {"error": ${numberOf(kind)}, "message": …}${typeof kind === 'string' ? ` (${kind})` : ''}`;
  const expected = () => wanted.map(recordOf).join(', or ');
  if (!wanted.some((kind) => statusOf(kind) === response.status)) fail(response, expected);
  const { error, message, ...others } = jsonObjectIn(response, expected);
  if (!wanted.some((kind) => numberOf(kind) === error)) fail(response, expected);
  if (typeof message !== 'string' || Object.keys(others).length > 0) fail(response, expected);
  const challenge = { 40101: realm, 40102: `${realm}, error="invalid_token"` }[Number(error)];
  if (challenge && response.headers.get('www-authenticate') !== challenge)
    fail(response, `${expected()}, with WWW-Authenticate: ${challenge}`);
  const fault = faultOfMessage(response.service, message, naming);
  if (fault) fail(response, `${expected()}, whose message ${fault}`);
}

/** The challenge of a request without a token (RFC 6750 section 3). */
const realm = 'Bearer realm="plant-store"';

/** The response must be 405 with exactly these methods in `Allow`. */
export function expectNotAllowed(response: HttpResponse, allowed: readonly string[]): void {
  const named = response.headers.get('allow')?.split(/, */) ?? [];
  if (response.status !== 405 || named.toSorted().join() !== allowed.toSorted().join())
    fail(response, `405 with Allow: ${allowed.join(', ')}`);
}

/** Whether the response is the Error record of one of the kinds. */
export function isError(response: HttpResponse, kinds: Kinds): boolean {
  try {
    expectError(response, kinds);
    return true;
  } catch {
    return false;
  }
}

/** The id must be free: another plant can be created under it. */
export async function expectNotStored(service: DeployedService, id: bigint, rejected: HttpResponse): Promise<void> {
  const response = following(rejected, await create(service, aPlant({ id }), 'another plant under its id'));
  if (response.status !== 200) fail(response, '200: a rejected request stores nothing, so the id is free');
}

/**
 * The id must be taken by the plant of an earlier request.
 * @param about what is sent, for messages.
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
 * The JSON text must be read as the plant. Another plant under its id is sent before the same plant, because the same plant
 * would take an id that a misread text has left free.
 */
export async function expectReadAs(service: DeployedService, plant: NewPlant, json: string): Promise<HttpResponse> {
  const stored = await create(service, json);
  expectPlant(stored, plant);
  await expectIdTaken(service, aPlant({ id: plant.id }), stored);
  return expectCreated(service, plant, stored, 'the same plant, written plainly');
}

/** The response with the earlier request in its action, because a failure needs both to be explained. */
export function following(before: HttpResponse, response: HttpResponse): HttpResponse {
  return { ...response, action: () => `${before.action()}; got ${before.status}; then ${response.action()}` };
}

/** Fails the clause, because the response is not the expected one. @throws {ContractViolation} always. */
export function fail(response: HttpResponse, expected: Sentence): never {
  const headers = ['content-type', 'content-encoding', 'www-authenticate', 'allow', 'connection', 'x-request-id']
    .filter((name) => response.headers.has(name))
    .map((name) => `${name}: ${response.headers.get(name)}`);
  const actual = `${response.status}, ${headers.join(', ')}, body ${Buffer.from(response.body).toString() || 'empty'}`;
  throw new ContractViolation(response.action, printable(response.service, actual), expected);
}

/** The JSON object in the body of the response, which must be UTF-8 and declared as application/json. */
export function jsonObjectIn(response: HttpResponse, expected: Sentence): Readonly<Record<string, unknown>> {
  // `charset` has no meaning for JSON (RFC 8259 section 11), but a true one does no harm.
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(response.headers.get('content-type') ?? ''))
    fail(response, expected);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(response.body));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // It is not JSON in UTF-8, which is reported below.
  }
  return fail(response, expected);
}

const statusOf = (kind: ErrorNameOrNumber) => Math.floor(numberOf(kind) / 100);

/** What the message of an Error record has to do, as the end of a sentence; undefined if it does. */
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
  // A host name of one word, such as «plants», may be an ordinary word of a message.
  if (/[.:]|localhost/.test(hostname) && message.includes(hostname)) return 'does not contain the host name';
  return internalDetails.some((pattern) => pattern.test(message)) ? 'contains no internal detail' : undefined;
}

/** Stack traces, file paths, SQL, IP addresses and error codes. */
const internalDetails: readonly RegExp[] = [
  /\n\s*at |\bat \S+ \(/,
  /\bnode_modules\b|\bnode:|(?:\/[\w.@-]+){2,}|[A-Z]:\\|\.[cm]?[jt]s\b/,
  /\b(?:select|insert|update|delete)\b.*\b(?:from|into|set|where)\b|\bsqlstate\b/is,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  /\bE(?:CONN|ADDR|HOST|NET)[A-Z]+\b|\b(?:FST_|ERR_|HPE_)\w+/,
];

/** Checks every case, 16 at a time. Stops at the first that throws, and throws the same. */
export async function forEachCase<T>(cases: Iterable<T>, check: (value: T) => Promise<void>): Promise<void> {
  const waiting = cases[Symbol.iterator]();
  let failed = false;
  // All workers share the iterator.
  async function work(): Promise<void> {
    for (let next = waiting.next(); !next.done && !failed; next = waiting.next())
      await check(next.value).catch((error) => {
        failed = true;
        throw error;
      });
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

/** Few enough for a service with few database connections. */
const CONCURRENCY = 16;
