import { ContractViolation, type Sentence } from '@plant-store/contracts-kit';
import type { NewPlant, Plant } from '@plant-store/domain';
import { type DeployedService, printable } from '../deployed-service.ts';
import { type ErrorKind, errorNumbers } from '../error-numbers.ts';
import type { HttpResponse } from '../http/http-response.ts';
import { type HttpRequest, sendRequest } from '../http/send-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { faultOfMessage } from './error-message.ts';

/**
 * Sends a plant, or a JSON text, as a valid request does.
 * @param about what is unusual about it, for messages.
 */
export function create(service: DeployedService, plant: NewPlant | string, about = ''): Promise<HttpResponse> {
  return sendRequest(service, { about, body: typeof plant === 'string' ? plant : jsonOf(plant) });
}

/** Sends a plant, which must be stored or must have been stored before; the response must be 200. */
export async function expectCreated(service: DeployedService, plant: NewPlant, about = ''): Promise<HttpResponse> {
  const response = await create(service, plant, about);
  expectPlant(response, plant);
  return response;
}

/** Sends a plant in a request that differs in something that must not matter. */
export async function expectAccepted(service: DeployedService, request: HttpRequest): Promise<void> {
  const plant = aPlant();
  expectPlant(await sendRequest(service, { ...request, body: jsonOf(plant) }), plant);
}

/** The response must be 200 with this Plant and nothing else, to the last code unit. */
export function expectPlant(response: HttpResponse, stored: Plant): void {
  // Not by `plantOf`: the service may use that itself, and would forget the same members.
  const plant = Object.entries(stored).filter(([member, value]) => member !== 'id' && value !== undefined);
  const expected = () => {
    const shown = printable(response.service, JSON.stringify(Object.fromEntries(plant)));
    return `200, application/json, ${shown} and no other member${hintAt(response)}`;
  };
  if (response.status !== 200) fail(response, expected);
  const actual = jsonObjectIn(response, expected);
  if (plant.some(([member, value]) => actual[member] !== value) || Object.keys(actual).length !== plant.length)
    fail(response, expected);
}

/** The response must be the Error record of one of the kinds; its message must name the fields. */
export function expectError(
  response: HttpResponse,
  kinds: ErrorKind | readonly ErrorKind[],
  naming: readonly string[] = [],
): void {
  const wanted = typeof kinds === 'string' ? [kinds] : kinds;
  const expected = () => {
    const records = wanted.map(
      (kind) => `${statusOf(kind)}, application/json, {"error": ${errorNumbers[kind]}, "message": …} (${kind})`,
    );
    return records.join(', or ') + (wanted.includes('body-too-large') ? '' : hintAt(response));
  };
  const kind = wanted.find((candidate) => statusOf(candidate) === response.status);
  if (!kind) fail(response, expected);
  const { error, message, ...others } = jsonObjectIn(response, expected);
  if (!wanted.some((candidate) => errorNumbers[candidate] === error)) fail(response, expected);
  if (typeof message !== 'string' || Object.keys(others).length > 0) fail(response, expected);
  const fault = faultOfMessage(response.service, message, naming);
  if (fault) fail(response, `${expected()}, whose message ${fault}`);
}

/** Whether the response is the Error record of one of the kinds, where others are right as well. */
export function isError(response: HttpResponse, kinds: ErrorKind | readonly ErrorKind[]): boolean {
  try {
    expectError(response, kinds);
    return true;
  } catch {
    return false;
  }
}

/** No plant must have the id: another one can still be created under it. */
export async function expectNotStored(service: DeployedService, id: bigint, refused: HttpResponse): Promise<void> {
  const probe = aPlant({ id });
  const { status } = await create(service, probe);
  if (status !== 200) {
    throw new ContractViolation(
      `${refused.action()}; got ${refused.status}; then created another plant under the id ${id}`,
      `${status}: the id is taken`,
      'a refused request stores nothing, so the id is free',
    );
  }
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

/** If a body that should have fitted is too large, the service may have a smaller limit on purpose. */
function hintAt({ body }: HttpResponse): string {
  const isTooLarge = Buffer.from(body).includes(`"error":${errorNumbers['body-too-large']},`);
  return isTooLarge ? '; or tell verify about a smaller limit with --body-limit' : '';
}

function statusOf(kind: ErrorKind): number {
  return Math.floor(errorNumbers[kind] / 100);
}
