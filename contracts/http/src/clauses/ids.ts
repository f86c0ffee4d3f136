import type { Clause } from '@plant-store/contracts-kit';
import { INT64_MAX, INT64_MIN, type NewPlant } from '@plant-store/domain';
import { type DeployedService, roomIn } from '../deployed-service.ts';
import {
  create,
  expectCreated,
  expectError,
  expectIdTaken,
  expectPlant,
  following,
  forEachCase,
  isError,
} from '../expectations/expectations.ts';
import type { HttpResponse } from '../http/response-parser.ts';
import { anyId, anyIdNear, anyUnroundableId, aPlant } from '../new-plants.ts';

/** The int64 that identifies a plant, from the request's bytes to the store and back. */
export const idClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-11',
    title: 'every int64 is a distinct id, exact to the last digit',
    check: async (service) => {
      for (const id of fixedIds) await expectIdOfItsOwn(service, id);
      // If other plants have the edges, ids near them, and ids that differ in one bit, still show it.
      await forEachCase([...fixedIds.map(anyIdNear), ...Array.from({ length: 20 }, anyUnroundableId)], (id) =>
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
    id: 'HC-12',
    title:
      'a number whose value is an int64 is accepted, however it is written: of up to 40 digits exactly, of very many exactly or not at all',
    check: async (service) => {
      const zeros = [20, roomIn(service)].map((digits) => '0'.repeat(digits));
      await forEachCase([...fixedIds, BigInt.asUintN(40, anyId()), anyId(), anyUnroundableId()], (id) =>
        expectReadAsId(service, id, id === 0n ? ['-0', '0.0', '-0E+99'] : writingsOf(id, zeros)),
      );
    },
  },
  {
    id: 'HC-13',
    title: 'an absent id, any other number, however close, and any other type is refused: nothing is coerced',
    check: async (service) => {
      expectError(await create(service, '{"name":"n"}'), 'not-a-new-plant');
      const zeros = '0'.repeat(roomIn(service));
      const long = [
        `7.${zeros}1`,
        `7${zeros}`,
        `0.${zeros}7`,
        zeros.replaceAll('0', '9'),
        `7e1${zeros}`,
        `7e-1${zeros}`,
      ];
      await forEachCase([...notInt64, ...long], async (literal) =>
        expectError(await create(service, jsonWithId(literal, 'n')), 'not-a-new-plant'),
      );
    },
  },
];

/**
 * Where a double or a sign goes wrong. Few, since they are the only ids of the contract that are not random, and
 * other plants may have them.
 */
export const fixedIds: readonly bigint[] = [
  0n,
  ...[2n ** 53n, -(2n ** 53n)].flatMap((edge) => [edge - 1n, edge, edge + 1n]),
  INT64_MIN,
  INT64_MIN + 1n,
  INT64_MAX - 1n,
  INT64_MAX,
];

/** Ways to write an integer of two digits or more as a JSON number. */
function writingsOf(id: bigint, zeros: readonly string[]): string[] {
  const [sign, digits] = [id < 0n ? '-' : '', String(id).replace('-', '')];
  return [
    `${id}.0`,
    `${id}E+00`,
    `${id}0e-1`,
    `${id}000.000e-3`,
    `${sign}${digits[0]}.${digits.slice(1)}e${digits.length - 1}`,
    ...zeros.flatMap((many) => [
      `${id}.${many}`,
      `${id}${many}e-${many.length}`,
      `${sign}0.${many}${digits}e${many.length + digits.length}`,
    ]),
  ];
}

/** JSON values that are not an int64. */
const notInt64: readonly string[] = [
  '7.5',
  '6.99999999999999999999',
  '9223372036854775808',
  '-9223372036854775809',
  '9223372036854775807.0000000000000000000000001',
  '-1e99999999999999999999',
  '"7"',
  'true',
  'null',
  '[7]',
  '{"id":7}',
];

/** The id has our plant or an unrelated one, and not that of another edge. */
async function expectIdOfItsOwn(service: DeployedService, id: bigint): Promise<void> {
  const taken = await take(service, id);
  for (const edge of fixedIds.filter((other) => other !== id))
    await expectIdTaken(
      service,
      { ...plantAt(edge), id },
      taken,
      `the plant of ${edge} under ${id}: the two are not one`,
    );
}

/** All ids have to be taken at once, each by a plant of its own. */
async function expectAllStored(service: DeployedService, what: string, ids: readonly bigint[]): Promise<void> {
  const plants = ids.map((id) => aPlant({ id }));
  for (const about of [what, `${what}, again, when all are stored`])
    await forEachCase(plants, async (plant) => {
      await expectCreated(service, plant, undefined, about);
    });
}

/** The literals must be read as the id, whoever has it. A very long one may as well be refused. */
async function expectReadAsId(service: DeployedService, id: bigint, literals: readonly string[]): Promise<void> {
  const taken = await take(service, id);
  const about = `the id ${id} written in another way`;
  for (const literal of literals) {
    const other = following(taken, await create(service, jsonWithId(literal, aPlant().name), about));
    if (literal.length > 100 && isError(other, 'not-a-new-plant')) continue;
    expectError(other, 'id-taken');
    const same = following(taken, await create(service, jsonWithId(literal, plantAt(id).name), about));
    if (taken.status === 200) expectPlant(same, plantAt(id));
    else expectError(same, 'id-taken');
  }
}

/** The same plant in every run, so that runs do not conflict: creating is idempotent. */
function plantAt(id: bigint): NewPlant {
  return { id, name: `the plant-store contract keeps this plant at ${id}` };
}

/** Creates our plant there, unless another plant has the id. */
async function take(service: DeployedService, id: bigint): Promise<HttpResponse> {
  const response = await create(service, plantAt(id));
  if (!isError(response, 'id-taken')) expectPlant(response, plantAt(id));
  return response;
}

function jsonWithId(literal: string, name: string): string {
  return `{"id":${literal},"name":${JSON.stringify(name)}}`;
}
