import { ContractViolation } from '@plant-store/contracts-kit';
import type { NewPlant, Plant } from '@plant-store/domain';
import type { Answer } from './answer.ts';
import { ask } from './ask.ts';
import { type DeployedService, printable } from './deployed-service.ts';
import { faultOfMessage } from './error-message.ts';
import { type ErrorKind, errorNumbers } from './error-numbers.ts';
import { aPlant, jsonOf } from './new-plants.ts';

/**
 * Sends a plant, or a JSON text, as a good request does.
 * @param about what is special about it, for messages.
 */
export function create(service: DeployedService, plant: NewPlant | string, about = ''): Promise<Answer> {
  return ask(service, { about, body: typeof plant === 'string' ? plant : jsonOf(plant) });
}

/** Sends a plant, which must be stored or must have been stored before, and answered 200. */
export async function expectCreated(service: DeployedService, plant: NewPlant, about = ''): Promise<Answer> {
  const answer = await create(service, plant, about);
  expectPlant(answer, plant);
  return answer;
}

/** The answer must be 200 with this Plant and nothing else, to the last code unit. */
export function expectPlant(answer: Answer, expected: Plant): void {
  // Not by `plantOf`: the service may use that itself, and would forget the same members.
  const plant = Object.entries(expected).filter(([member, value]) => member !== 'id' && value !== undefined);
  const shown = printable(answer.service, JSON.stringify(Object.fromEntries(plant)));
  const promised = `200, application/json, ${shown} and no other member${hintAt(answer)}`;
  if (answer.status !== 200) broken(answer, promised);
  const came = jsonObjectIn(answer, promised);
  if (plant.some(([member, value]) => came[member] !== value) || Object.keys(came).length !== plant.length)
    broken(answer, promised);
}

/** The answer must be the Error record of one of the kinds; its message must name the fields. */
export function expectError(
  answer: Answer,
  kinds: ErrorKind | readonly ErrorKind[],
  naming: readonly string[] = [],
): void {
  const wanted = typeof kinds === 'string' ? [kinds] : kinds;
  const records = wanted.map(
    (kind) => `${statusOf(kind)}, application/json, {"error": ${errorNumbers[kind]}, "message": …} (${kind})`,
  );
  const promised = records.join(', or ') + (wanted.includes('body-too-large') ? '' : hintAt(answer));
  const kind = wanted.find((candidate) => statusOf(candidate) === answer.status);
  if (!kind) broken(answer, promised);
  const { error, message, ...others } = jsonObjectIn(answer, promised);
  if (!wanted.some((candidate) => errorNumbers[candidate] === error)) broken(answer, promised);
  if (typeof message !== 'string' || Object.keys(others).length > 0) broken(answer, promised);
  const fault = faultOfMessage(answer.service, message, naming);
  if (fault) broken(answer, `${promised}, whose message ${fault}`);
}

/** Whether the answer is the Error record of one of the kinds, where others are right as well. */
export function isError(answer: Answer, kinds: ErrorKind | readonly ErrorKind[]): boolean {
  try {
    expectError(answer, kinds);
    return true;
  } catch {
    return false;
  }
}

/** No plant must have the id: another one can still be created under it. */
export async function expectNotStored(service: DeployedService, id: bigint, refused: Answer): Promise<void> {
  const probe = aPlant({ id });
  const { status } = await create(service, probe);
  if (status !== 200) {
    throw new ContractViolation(
      `${refused.did}; answered ${refused.status}; then created another plant under the id ${id}`,
      `${status}: the id is taken`,
      'a refused request stores nothing, so the id is free',
    );
  }
}

/** Ends the clause: what came is not what is promised. */
export function broken(answer: Answer, promised: string): never {
  const headers = ['content-type', 'www-authenticate', 'allow', 'connection', 'x-request-id']
    .filter((name) => answer.headers.has(name))
    .map((name) => `${name}: ${answer.headers.get(name)}`);
  const came = `${answer.status}, ${headers.join(', ')}, body ${Buffer.from(answer.body).toString() || 'empty'}`;
  throw new ContractViolation(answer.did, printable(answer.service, came), promised);
}

/** The JSON object that the answer must hold, in UTF-8 and declared as such. */
export function jsonObjectIn(answer: Answer, promised: string): Readonly<Record<string, unknown>> {
  // `charset` has no meaning for JSON (RFC 8259 section 11), and says the truth here.
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(answer.headers.get('content-type') ?? ''))
    broken(answer, promised);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(answer.body));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // not JSON in UTF-8
  }
  return broken(answer, promised);
}

/** Where a body is too large that should have fitted, the limit may be meant, and nobody has told. */
function hintAt({ body }: Answer): string {
  const isTooLarge = Buffer.from(body).includes(`"error":${errorNumbers['body-too-large']},`);
  return isTooLarge ? '; or tell verify of a smaller limit with --body-limit' : '';
}

function statusOf(kind: ErrorKind): number {
  return Math.floor(errorNumbers[kind] / 100);
}
