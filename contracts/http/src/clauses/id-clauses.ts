import type { Clause } from '@plant-store/contracts-kit';
import { roomIn } from '../body-limit.ts';
import type { DeployedService } from '../deployed-service.ts';
import { create, expectError } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { anyId, anyIdNear, anyShortId, anyUnroundableId } from '../new-plants.ts';
import { edges, magnitude, notInt64, notNumbers, scientific, writings, writingsOfZero } from './id-cases.ts';
import { expectAllStored, expectIdOfItsOwn, expectReadAs, expectReadAsEdge, expectRefused } from './id-expectations.ts';

/** The int64 that identifies a plant, from the request's bytes to the store and back. */
export const idClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-8',
    title: 'every int64 is a distinct id, exact to the last digit',
    check: async (service) => {
      for (const id of edges) await expectIdOfItsOwn(service, id);
      // If other plants have the edges, ids near them, and ids that differ in one bit, still show it.
      await forEachCase([...edges.map(anyIdNear), ...Array.from({ length: 20 }, anyUnroundableId)], (id) =>
        expectAllStored(service, 'one of three ids in a row', [id - 1n, id, id + 1n]),
      );
      const id = anyUnroundableId();
      await expectAllStored(service, `the id ${id}, or one that differs from it in one bit`, [
        id,
        ...Array.from({ length: 64 }, (_, bit) => BigInt.asIntN(64, id ^ (1n << BigInt(bit)))),
      ]);
    },
  },
  {
    id: 'HC-9',
    title: 'a number whose value is an integer is accepted, however it is written',
    check: async (service) => {
      await forEachCase([anyShortId, anyId, anyUnroundableId], async (any) => {
        for (const write of writings) await expectReadAs(service, write, any());
      });
      await expectReadAs(service, (id) => `${id / 10_000n}e4`, (anyId() / 10_000n) * 10_000n);
      for (const id of edges)
        await expectReadAsEdge(service, id, id === 0n ? writingsOfZero : [`${id}.0`, scientific(id)]);
    },
  },
  {
    id: 'HC-10',
    title: 'a number that is not an integer, or not an int64, is refused, however close it is',
    check: (service) => forEachCase(notInt64, (literal) => expectRefused(service, literal)),
  },
  {
    id: 'HC-11',
    title: 'any other type of id is refused: nothing is coerced',
    check: async (service) => {
      await forEachCase(notNumbers, (literal) => expectRefused(service, literal));
      expectError(await create(service, '{"name":"n"}'), 'not-a-new-plant');
    },
  },
  {
    id: 'HC-12',
    title: 'a number of up to 40 digits is read exactly, one of very many exactly or not at all, and at once',
    check: async (service) => {
      for (const digits of [20, roomIn(service)]) {
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
