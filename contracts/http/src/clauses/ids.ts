import type { Clause } from '@plant-store/contracts-kit';
import { INT64_MAX, INT64_MIN, type NewPlant } from '@plant-store/domain';
import { type DeployedService, maxPadding } from '../deployed-service.ts';
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
import * as change from '../mutation.ts';
import { anyId, anyIdNear, anyUnroundableId, aPlant } from '../new-plants.ts';

/** Ids: every int64 is exact from the bytes of the request to the store. */
export const idClauses: readonly Clause<DeployedService, change.HttpMutation>[] = [
  {
    id: 'HC-11',
    shows: 'P2/F7',
    title: 'every int64 is a distinct id, exact to the last digit',
    check: async (service) => {
      for (const id of fixedIds) await expectDistinctId(service, id);
      // Other plants may have the fixed ids. Ids near them, and ids that differ in one bit, are free.
      await forEachCase([...fixedIds.map(anyIdNear), ...Array.from({ length: 20 }, anyUnroundableId)], (id) =>
        expectAllStored(service, 'one of three ids in a row', [id - 1n, id, id + 1n]),
      );
      const id = anyUnroundableId();
      await expectAllStored(service, `the id ${id}, or one that differs from it in one bit`, [
        id,
        ...Array.from({ length: 64 }, (_, bit) => BigInt.asIntN(64, id ^ (1n << BigInt(bit)))),
      ]);
    },
    mutants: {
      'rounds the id to a double': change.plant(({ id, ...plant }) => ({ ...plant, id: BigInt(Number(id)) })),
      'rejects 0 as if it were absent': change.members((members) => members['id'] !== 0n && members),
    },
  },
  {
    id: 'HC-12',
    shows: 'P2/F7',
    title:
      'a number whose value is an int64 is accepted in any JSON notation; one of more than a hundred characters is read exactly or rejected',
    check: async (service) => {
      const zeros = [20, maxPadding(service)].map((digits) => '0'.repeat(digits));
      await forEachCase([...fixedIds, BigInt.asUintN(40, anyId()), anyId(), anyUnroundableId()], (id) =>
        expectReadAsId(service, id, id === 0n ? ['-0', '0.0', '-0E+99'] : writeNotations(id, zeros)),
      );
    },
    mutants: {
      'accepts only digits as an integer': change.idLiteral((id) => (/^-?\d+$/.test(id) ? id : '"not plain"')),
      'rounds an id with an exponent to a double': roundingIds(/.*e.*/i),
      'rounds an id of more than a hundred characters to a double': roundingIds(/.{101,}/),
    },
  },
  {
    id: 'HC-13',
    shows: 'P4/F7',
    title: 'an absent id, any number that is not an int64, and any other type is rejected: nothing is coerced',
    check: async (service) => {
      expectError(await create(service, '{"name":"n"}'), 'not-a-new-plant');
      const zeros = '0'.repeat(maxPadding(service));
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
    mutants: {
      'uses Number.isInteger, for which a tiny fraction is lost': roundingIds(/.*\..*/),
      'wraps an id beyond int64 around': change.members(({ id, ...plant }) => ({
        ...plant,
        id: typeof id === 'bigint' ? BigInt.asIntN(64, id) : id,
      })),
      'accepts digits in quotes': change.text((text) => text.replace(/"id":"(\d+)"/, '"id":$1')),
      'makes up an id if there is none': change.members((members) => ({ id: 7n, ...members })),
      'reads the first thousand characters of a number': change.idLiteral((id) =>
        id.length > 1_000 ? change.rounded(id.slice(0, 1_000)) : id,
      ),
    },
  },
];

/** Edges of doubles and of int64. They are the only ids of the contract that are not random, so other plants may have them. */
export const fixedIds: readonly bigint[] = [
  0n,
  ...[2n ** 53n, -(2n ** 53n)].flatMap((edge) => [edge - 1n, edge, edge + 1n]),
  INT64_MIN,
  INT64_MIN + 1n,
  INT64_MAX - 1n,
  INT64_MAX,
];

/** JSON notations of an integer of at least two digits. */
function writeNotations(id: bigint, zeros: readonly string[]): string[] {
  const sign = id < 0n ? '-' : '';
  const digits = String(id).replace('-', '');
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

/** The id must not have the plant of another fixed id. */
async function expectDistinctId(service: DeployedService, id: bigint): Promise<void> {
  const taken = await createFixed(service, id);
  for (const edge of fixedIds.filter((other) => other !== id))
    await expectIdTaken(service, { ...fixedPlant(edge), id }, taken, `the plant of ${edge} under the id ${id}`);
}

/** Each id must get a plant of its own, while all are stored. */
async function expectAllStored(service: DeployedService, what: string, ids: readonly bigint[]): Promise<void> {
  const plants = ids.map((id) => aPlant({ id }));
  for (const about of [what, `${what}, again after all were stored`])
    await forEachCase(plants, async (plant) => {
      await expectCreated(service, plant, undefined, about);
    });
}

/** The literals must be read as the id, whichever plant has it. A very long one may be rejected. */
async function expectReadAsId(service: DeployedService, id: bigint, literals: readonly string[]): Promise<void> {
  const taken = await createFixed(service, id);
  const about = `the id ${id} in another notation`;
  for (const literal of literals) {
    const other = following(taken, await create(service, jsonWithId(literal, aPlant().name), about));
    if (literal.length > 100 && isError(other, 'not-a-new-plant')) continue;
    expectError(other, 'id-taken');
    const same = following(taken, await create(service, jsonWithId(literal, fixedPlant(id).name), about));
    if (taken.status === 200) expectPlant(same, fixedPlant(id));
    else expectError(same, 'id-taken');
  }
}

/** The plant that every run creates under a fixed id, so that runs do not conflict. */
function fixedPlant(id: bigint): NewPlant {
  return { id, name: `the plant-store contract keeps this plant at ${id}` };
}

/** Creates the plant of a fixed id, unless another plant has the id. */
async function createFixed(service: DeployedService, id: bigint): Promise<HttpResponse> {
  const response = await create(service, fixedPlant(id));
  if (!isError(response, 'id-taken')) expectPlant(response, fixedPlant(id));
  return response;
}

function jsonWithId(literal: string, name: string): string {
  return `{"id":${literal},"name":${JSON.stringify(name)}}`;
}

/** The part of an id's literal that matches is read as a double. */
function roundingIds(part: RegExp): change.HttpMutation {
  return change.idLiteral((id) => id.replace(part, change.rounded));
}
