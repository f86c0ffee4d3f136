import type { NewPlant } from '@plant-store/domain';
import type { DeployedService } from '../deployed-service.ts';
import { expectError, expectNotStored, expectPlant, fail } from '../expectations/expectations.ts';
import { following } from '../expectations/stored-plants.ts';
import type { HttpResponse } from '../http/http-response.ts';
import { sendRequest } from '../http/send-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';

/**
 * The request must be refused and store nothing. It must also be refused if the very same one has just been accepted with
 * the token: a cache, in the service or in front of it, must not ignore who sends the request.
 */
export async function expectStranger(
  service: DeployedService,
  { about, headers, path = '/plants', members = '' }: Stranger,
  kind: 'missing-token' | 'token-not-accepted',
): Promise<void> {
  const written = (plant: NewPlant) => `${jsonOf(plant).slice(0, -1)}${members}}`;
  const plant = aPlant();
  const refused = await sendRequest(service, { about, path, headers, body: written(plant) });
  expectChallenge(refused, kind);
  await expectNotStored(service, plant.id, refused);

  const known = aPlant();
  const request = { path, body: written(known) };
  const letIn = await sendRequest(service, {
    ...request,
    headers: { ...headers, authorization: `Bearer ${service.token}` },
  });
  expectPlant(letIn, known);
  const again = await sendRequest(service, { ...request, about: `the same plant again, ${about}`, headers });
  expectChallenge(following(letIn, again), kind);
}

/** The Error record and exactly the challenge of RFC 6750 section 3. */
export function expectChallenge(response: HttpResponse, kind: 'missing-token' | 'token-not-accepted'): void {
  expectError(response, kind);
  const challenge = `Bearer realm="plant-store"${kind === 'missing-token' ? '' : ', error="invalid_token"'}`;
  if (response.headers.get('www-authenticate') !== challenge) fail(response, `401 with WWW-Authenticate: ${challenge}`);
}

/** A request that must not be accepted. */
interface Stranger {
  readonly about: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly path?: string;
  /** After those of the plant. */
  readonly members?: string;
}
