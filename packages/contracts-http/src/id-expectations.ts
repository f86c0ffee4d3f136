import type { NewPlant } from '@plant-store/domain';
import type { Answer } from './answer.ts';
import type { DeployedService } from './deployed-service.ts';
import { every } from './every.ts';
import { create, expectCreated, expectError, expectPlant, isError } from './expectations.ts';
import { edges } from './id-cases.ts';
import { aPlant } from './new-plants.ts';
import { behind, expectIdTaken, expectStillStored } from './stored-plants.ts';

/** The id of an edge holds the plant of that edge or of somebody else, and no other edge's. */
export async function expectIdOfItsOwn(service: DeployedService, id: bigint): Promise<void> {
  const { isOurs, answer } = await createAtEdge(service, id);
  await expectIdTaken(service, aPlant({ id }), answer, 'another plant under the same id');
  if (isOurs) return;
  for (const other of edges.filter((edge) => edge !== id)) {
    const about = `the plant of ${other} under ${id}, which was taken: whether the two ids fall together`;
    await expectIdTaken(service, { ...plantOfEdge(other), id }, answer, about);
  }
}

/** All of them have to be there at once, each with a plant of its own. */
export async function expectAllKept(service: DeployedService, about: string, ids: readonly bigint[]): Promise<void> {
  const plants = ids.map((id) => aPlant({ id }));
  const stored: (readonly [NewPlant, Answer])[] = [];
  await every(plants, async (plant) => {
    stored.push([plant, await expectCreated(service, plant, about)]);
  });
  await every(stored, async ([plant, answer]) => {
    await expectStillStored(service, plant, answer, 'the same plant again, when all are stored');
  });
}

/**
 * The writing must stand for the id: under the id's plain digits there is then no room for another plant, and the same
 * one is the same. In this order, since the same plant would fill the room that a misread id has left.
 */
export async function expectReadAs(service: DeployedService, write: (id: bigint) => string, id: bigint): Promise<void> {
  const plant = aPlant({ id });
  const literal = write(id);
  const stored = await create(service, jsonWithId(literal, plant.name));
  expectPlant(stored, plant);
  const about = 'under the same id in plain digits';
  await expectIdTaken(service, aPlant({ id }), stored, `another plant ${about}`);
  await expectStillStored(service, plant, stored, `the same plant ${about}`);
}

/** The same, as far as it can be seen at an id that may be somebody else's: whoever has it, the writings stand for it. */
export async function expectReadAsEdge(
  service: DeployedService,
  id: bigint,
  literals: readonly string[],
): Promise<void> {
  const plant = plantOfEdge(id);
  const { isOurs, answer } = await createAtEdge(service, id);
  for (const literal of literals) {
    const about = `the id ${id}, which is taken, in another writing`;
    await expectIdTaken(service, jsonWithId(literal, aPlant().name), answer, about);
    const again = behind(answer, await create(service, jsonWithId(literal, plant.name), about));
    if (isOurs) expectPlant(again, plant);
    else expectError(again, 'id-taken');
  }
}

/** A record whose id is written like this is no NewPlant. */
export async function expectRefused(service: DeployedService, literal: string): Promise<void> {
  expectError(await create(service, jsonWithId(literal, 'n')), 'not-a-new-plant');
}

/** The same plant in every run, so that an earlier one does not stand in its way: creating is idempotent. */
function plantOfEdge(id: bigint): NewPlant {
  return { id, name: `the plant-store contract keeps this plant at ${id}` };
}

/** Creates the plant of an edge, and says whether it is there: somebody else's plant may have the id. */
async function createAtEdge(
  service: DeployedService,
  id: bigint,
): Promise<{ readonly isOurs: boolean; readonly answer: Answer }> {
  const plant = plantOfEdge(id);
  const answer = await create(service, plant);
  if (isError(answer, 'id-taken')) return { isOurs: false, answer };
  expectPlant(answer, plant);
  return { isOurs: true, answer };
}

function jsonWithId(literal: string, name: string): string {
  return `{"id":${literal},"name":${JSON.stringify(name)}}`;
}
