import type { NewPlant } from '@plant-store/domain';
import type { DeployedService } from '../deployed-service.ts';
import {
  create,
  expectCreated,
  expectError,
  expectNotStored,
  expectPlant,
  isError,
} from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { expectIdTaken, expectStillStored, following } from '../expectations/stored-plants.ts';
import type { HttpResponse } from '../http/http-response.ts';
import { aPlant } from '../new-plants.ts';
import { edges } from './id-cases.ts';

/** The id of an edge has the plant of that edge or an unrelated one, and not that of another edge. */
export async function expectIdOfItsOwn(service: DeployedService, id: bigint): Promise<void> {
  const { isOurs, response } = await createAtEdge(service, id);
  await expectIdTaken(service, aPlant({ id }), response, 'another plant under the same id');
  if (isOurs) return;
  for (const other of edges.filter((edge) => edge !== id)) {
    const about = `the plant of ${other} under ${id}, which was taken: whether the two ids are one`;
    await expectIdTaken(service, { ...plantOfEdge(other), id }, response, about);
  }
}

/** All ids have to be taken at once, each by a plant of its own. */
export async function expectAllStored(service: DeployedService, about: string, ids: readonly bigint[]): Promise<void> {
  const plants = ids.map((id) => aPlant({ id }));
  const stored: (readonly [NewPlant, HttpResponse])[] = [];
  await forEachCase(plants, async (plant) => {
    stored.push([plant, await expectCreated(service, plant, about)]);
  });
  await forEachCase(stored, async ([plant, response]) => {
    await expectStillStored(service, plant, response, 'the same plant again, when all are stored');
  });
}

/**
 * The literal must be read as the id: under the id's plain digits another plant is then refused, and the same one is the
 * same. In this order, since the same plant would take the id that a misread literal has left free. A very long literal
 * may as well be refused.
 */
export async function expectReadAs(service: DeployedService, write: (id: bigint) => string, id: bigint): Promise<void> {
  const plant = aPlant({ id });
  const literal = write(id);
  const stored = await create(service, jsonWithId(literal, plant.name));
  if (literal.length > 100 && isError(stored, 'not-a-new-plant')) return expectNotStored(service, id, stored);
  expectPlant(stored, plant);
  const about = 'under the same id in plain digits';
  await expectIdTaken(service, aPlant({ id }), stored, `another plant ${about}`);
  await expectStillStored(service, plant, stored, `the same plant ${about}`);
}

/** The same, as far as it shows with an id that another plant may have: the literals must be read as it in any case. */
export async function expectReadAsEdge(
  service: DeployedService,
  id: bigint,
  literals: readonly string[],
): Promise<void> {
  const plant = plantOfEdge(id);
  const { isOurs, response } = await createAtEdge(service, id);
  for (const literal of literals) {
    const about = `the id ${id}, which is taken, written in another way`;
    await expectIdTaken(service, jsonWithId(literal, aPlant().name), response, about);
    const again = following(response, await create(service, jsonWithId(literal, plant.name), about));
    if (isOurs) expectPlant(again, plant);
    else expectError(again, 'id-taken');
  }
}

/** A record with this literal as its id is not a NewPlant. */
export async function expectRefused(service: DeployedService, literal: string): Promise<void> {
  expectError(await create(service, jsonWithId(literal, 'n')), 'not-a-new-plant');
}

/** The same plant in every run, so that runs do not conflict: creating is idempotent. */
function plantOfEdge(id: bigint): NewPlant {
  return { id, name: `the plant-store contract keeps this plant at ${id}` };
}

/** Creates the plant of an edge, and returns whether it is there: another plant may have the id. */
async function createAtEdge(
  service: DeployedService,
  id: bigint,
): Promise<{ readonly isOurs: boolean; readonly response: HttpResponse }> {
  const plant = plantOfEdge(id);
  const response = await create(service, plant);
  if (isError(response, 'id-taken')) return { isOurs: false, response };
  expectPlant(response, plant);
  return { isOurs: true, response };
}

function jsonWithId(literal: string, name: string): string {
  return `{"id":${literal},"name":${JSON.stringify(name)}}`;
}
