import type { NewPlant } from '@plant-store/domain';
import type { Answer } from './answer.ts';
import { ask } from './ask.ts';
import type { DeployedService } from './deployed-service.ts';
import { broken, expectError, expectNotStored, expectPlant } from './expectations.ts';
import { aPlant, jsonOf } from './new-plants.ts';
import { behind } from './stored-plants.ts';

/**
 * The request must be refused and store nothing. It must be refused as well where the very same one has just been let in
 * with the token: whoever answers from memory, the service or a cache in front of it, has to know who asks.
 */
export async function expectStranger(
  service: DeployedService,
  { about, headers, path = '/plants', members = '' }: Stranger,
  kind: 'missing-token' | 'token-not-accepted',
): Promise<void> {
  const written = (plant: NewPlant) => `${jsonOf(plant).slice(0, -1)}${members}}`;
  const plant = aPlant();
  const refused = await ask(service, { about, path, headers, body: written(plant) });
  expectChallenge(refused, kind);
  await expectNotStored(service, plant.id, refused);

  const known = aPlant();
  const question = { path, body: written(known) };
  const letIn = await ask(service, { ...question, headers: { ...headers, authorization: `Bearer ${service.token}` } });
  expectPlant(letIn, known);
  const again = await ask(service, { ...question, about: `the same plant again, ${about}`, headers });
  expectChallenge(behind(letIn, again), kind);
}

/** The Error record and, to the letter, the challenge of RFC 6750 section 3. */
export function expectChallenge(answer: Answer, kind: 'missing-token' | 'token-not-accepted'): void {
  expectError(answer, kind);
  const challenge = `Bearer realm="plant-store"${kind === 'missing-token' ? '' : ', error="invalid_token"'}`;
  if (answer.headers.get('www-authenticate') !== challenge) broken(answer, `401 with WWW-Authenticate: ${challenge}`);
}

/** A request of somebody who shall not be let in. */
interface Stranger {
  readonly about: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly path?: string;
  /** Behind those of the plant. */
  readonly members?: string;
}
