import type { NewPlant } from '@plant-store/domain';
import type { Clause } from '@plant-store/domain/contract';
import type { DeployedService } from './deployed-service.ts';
import { every } from './every.ts';
import { create, expectCreated, expectError, expectPlant } from './expectations.ts';
import { edges, magnitude, notInt64, notNumbers, scientific, writings } from './id-cases.ts';
import { anyId, anyShortId, anyUnroundableId, aPlant } from './new-plants.ts';

/** The int64 that identifies a plant, from the request's bytes to the store and back. */
export const idClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-8',
    title: 'every int64 is an id of its own, exact to the last digit',
    check: async (service) => {
      await every(edges.map(plantOfEdge), (plant) => expectCreated(service, plant));
      await every(edges, async (id) => expectError(await create(service, aPlant({ id })), 'id-taken'));
      await every(Array.from({ length: 20 }, anyUnroundableId), async (id) => {
        const neighbours = [id - 1n, id, id + 1n].map((neighbour) => aPlant({ id: neighbour }));
        for (const plant of neighbours) await expectCreated(service, plant);
        for (const plant of neighbours) await expectCreated(service, plant);
      });
    },
  },
  {
    id: 'HC-9',
    title: 'a number whose value is an integer is one, however it is written',
    check: async (service) => {
      await every([anyShortId, anyId, anyUnroundableId], async (any) => {
        for (const write of writings) await expectReadAs(service, write, any());
      });
      await expectReadAs(service, (id) => `${id / 10_000n}e4`, (anyId() / 10_000n) * 10_000n);
      await every(
        edges.filter((id) => id !== 0n),
        async (id) => {
          const plant = plantOfEdge(id);
          for (const literal of [`${id}.0`, scientific(id)])
            expectPlant(await create(service, jsonWithId(literal, plant.name)), plant);
        },
      );
      const zero = plantOfEdge(0n);
      for (const literal of ['0', '-0', '0.0', '-0.000', '0e0', '-0E+99', '0e999999999', '0.0e-999999999'])
        expectPlant(await create(service, jsonWithId(literal, zero.name)), zero);
    },
  },
  {
    id: 'HC-10',
    title: 'a number that is not an integer, or not an int64, is refused, however near it is',
    check: (service) => every(notInt64, (literal) => expectRefused(service, literal)),
  },
  {
    id: 'HC-11',
    title: 'anything else in the place of the id is refused: nothing is coerced',
    check: async (service) => {
      await every(notNumbers, (literal) => expectRefused(service, literal));
      expectError(await create(service, '{"name":"n"}'), 'not-a-new-plant', ['id']);
    },
  },
  {
    id: 'HC-12',
    title: 'a number of very many digits is read right, and at once',
    check: async (service) => {
      for (const digits of [10_000, 1_000_000]) {
        const zeros = '0'.repeat(digits);
        await expectReadAs(service, (id) => `${id}.${zeros}`, anyShortId());
        await expectReadAs(service, (id) => `${id}${zeros}e-${digits}`, anyUnroundableId());
        await expectReadAs(
          service,
          (id) => `${id < 0n ? '-' : ''}0.${zeros}${magnitude(id)}e${digits + magnitude(id).length}`,
          anyId(),
        );
        for (const literal of [
          `7.${zeros}1`,
          `7${zeros}`,
          `0.${zeros}7`,
          '9'.repeat(digits),
          `7e1${zeros}`,
          `7e-1${zeros}`,
        ])
          await expectRefused(service, literal);
      }
    },
  },
];

/** The same plant in every run, so that an earlier one does not stand in its way: creating is idempotent. */
function plantOfEdge(id: bigint): NewPlant {
  return { id, name: `the plant-store contract keeps this plant at ${id}` };
}

async function expectRefused(service: DeployedService, literal: string): Promise<void> {
  expectError(await create(service, jsonWithId(literal, 'n')), 'not-a-new-plant', ['id']);
}

/**
 * The writing must stand for the id: under the id's plain digits there is then no room for another plant, and the same
 * one is the same. In this order, since the same plant would fill the room that a misread id has left.
 */
async function expectReadAs(service: DeployedService, write: (id: bigint) => string, id: bigint): Promise<void> {
  const plant = aPlant({ id });
  expectPlant(await create(service, jsonWithId(write(id), plant.name)), plant);
  expectError(await create(service, aPlant({ id })), 'id-taken');
  await expectCreated(service, plant);
}

function jsonWithId(literal: string, name: string): string {
  return `{"id":${literal},"name":${JSON.stringify(name)}}`;
}
