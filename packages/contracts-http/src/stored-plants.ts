import type { NewPlant } from '@plant-store/domain';
import type { Answer } from './answer.ts';
import type { DeployedService } from './deployed-service.ts';
import { create, expectError, expectPlant } from './expectations.ts';

/**
 * The id must be taken by the plant of the request before.
 * @param about what is special about the other plant, for messages.
 * @returns the answer, with what went before it.
 */
export async function expectIdTaken(
  service: DeployedService,
  other: NewPlant | string,
  before: Answer,
  about = 'another plant under the id just stored',
): Promise<Answer> {
  const answer = behind(before, await create(service, other, about));
  expectError(answer, 'id-taken');
  return answer;
}

/** The plant of a request before must be stored, and be the same: it is answered 200 again. */
export async function expectStillStored(
  service: DeployedService,
  plant: NewPlant,
  before: Answer,
  about = 'the same plant again',
): Promise<Answer> {
  const answer = behind(before, await create(service, plant, about));
  expectPlant(answer, plant);
  return answer;
}

/** The answer, with the request before it in its message: neither alone shows a stranger what is wrong. */
export function behind(before: Answer, answer: Answer): Answer {
  return { ...answer, did: `${before.did}; answered ${before.status}; then ${answer.did}` };
}
