import type { NewPlant } from '@plant-store/domain';
import type { DeployedService } from '../deployed-service.ts';
import type { HttpResponse } from '../http/http-response.ts';
import { create, expectError, expectPlant } from './expectations.ts';

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

/** The plant of an earlier request must be stored unchanged: sending it again gets 200. */
export async function expectStillStored(
  service: DeployedService,
  plant: NewPlant,
  before: HttpResponse,
  about = 'the same plant again',
): Promise<HttpResponse> {
  const response = following(before, await create(service, plant, about));
  expectPlant(response, plant);
  return response;
}

/** The response with the earlier request in its action: neither alone explains a failure. */
export function following(before: HttpResponse, response: HttpResponse): HttpResponse {
  return { ...response, action: () => `${before.action()}; got ${before.status}; then ${response.action()}` };
}
