import type { Clause } from '@plant-store/contracts-kit';
import { optionalTextFields, textFields } from '@plant-store/domain';
import type { DeployedService } from '../deployed-service.ts';
import { create, expectCreated, expectError, expectPlant } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { expectIdTaken, expectStillStored, following } from '../expectations/stored-plants.ts';
import { aFullPlant, anyUnroundableId, aPlant, jsonOf, plantWithout } from '../new-plants.ts';

/** The record that is sent, and the record that is returned. */
export const recordClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-1',
    title: 'a NewPlant gets 200 with the Plant: its texts, never its id',
    check: async (service) => {
      await expectCreated(service, aFullPlant());
      await expectCreated(service, aPlant());
    },
  },
  {
    id: 'HC-2',
    title: 'an absent text is absent from the response, and differs from an empty one',
    check: async (service) => {
      for (const field of optionalTextFields) {
        const without = plantWithout(field, aPlant());
        const empty = aPlant({ [field]: '' });
        const [storedWithout, storedEmpty] = [
          await expectCreated(service, without),
          await expectCreated(service, empty),
        ];
        const withEmpty = `the same plant with an empty ${field}`;
        await expectIdTaken(service, { ...without, [field]: '' }, storedWithout, withEmpty);
        await expectIdTaken(service, plantWithout(field, empty), storedEmpty, `the same plant without a ${field}`);
        await expectStillStored(service, without, storedWithout);
        await expectStillStored(service, empty, storedEmpty);
      }
    },
  },
  {
    id: 'HC-3',
    title: 'members may be in any order with any white space between them',
    check: async (service) => {
      for (const write of [
        (members: readonly string[]) => `{${members.toReversed()}}`,
        ([id, name, ...others]: readonly string[]) => `{${[name, id, ...others]}}`,
        (members: readonly string[]) => ` \t\r\n{\n  ${members.join(' ,\r\n\t').replaceAll('":', '" :\t')}\n}\n\n `,
      ]) {
        const plant = aFullPlant(anyUnroundableId());
        const body = write([`"id":${plant.id}`, ...textFields.map((field) => `"${field}":"${plant[field]}"`)]);
        const stored = await create(service, body);
        expectPlant(stored, plant);
        await expectIdTaken(service, aPlant({ id: plant.id }), stored);
      }
    },
  },
  {
    id: 'HC-4',
    title: 'unknown members are ignored, whatever their values',
    check: (service) =>
      forEachCase(unknownMembers, async (member) => {
        const plant = aFullPlant(anyUnroundableId());
        const stored = await create(service, withMember(jsonOf(plant), member));
        expectPlant(stored, plant);
        const again = await create(service, `{${member},${jsonOf(plant).slice(1)}`, 'the member first');
        expectPlant(following(stored, again), plant);
        await expectStillStored(service, plant, stored, 'the same plant without the member');
      }),
  },
  {
    id: 'HC-5',
    title: '__proto__ and constructor never change an object',
    check: async (service) => {
      for (const member of pollution) {
        const plant = aPlant();
        const stored = await create(service, withMember(jsonOf(plant), member));
        expectPlant(stored, plant);
        const next = aPlant();
        expectPlant(following(stored, await create(service, next, 'a plant like any other')), next);
      }
      const smuggled = '{"__proto__":{"id":1,"name":"n"},"constructor":{"prototype":{"id":1,"name":"n"}}}';
      expectError(await create(service, smuggled), 'not-a-new-plant');
    },
  },
  {
    id: 'HC-6',
    title: 'of duplicate members the last one counts, for the id as for the rest',
    check: async (service) => {
      const [first, last] = [aPlant({ id: anyUnroundableId() }), aPlant({ id: anyUnroundableId() })];
      const twice = `{"id":${first.id},"name":"${first.name}","id":${last.id},"name":"${last.name}"}`;
      const stored = await create(service, twice);
      expectPlant(stored, last);
      await expectStillStored(service, last, stored, 'the plant of the last members');
      await expectIdTaken(service, { ...last, name: first.name }, stored, 'the last id with the first name');
      await expectStillStored(service, first, stored, 'the plant of the first members, whose id is free');
      expectError(await create(service, withMember(jsonOf(aPlant()), '"id":"7"')), 'not-a-new-plant');
      expectError(await create(service, withMember(jsonOf(aPlant()), '"name":null')), 'not-a-new-plant');
    },
  },
  {
    id: 'HC-7',
    title: 'a member is recognized by its name, however that is escaped, and only at the top level',
    check: (service) =>
      forEachCase(elsewhere, async (body) => {
        const plant = aPlant({ id: anyUnroundableId() });
        const text = body.replaceAll('ID', String(plant.id)).replaceAll('NAME', plant.name);
        const stored = await create(service, text);
        expectPlant(stored, plant);
        await expectStillStored(service, plant, await expectIdTaken(service, aPlant({ id: plant.id }), stored));
      }),
  },
];

const unknownMembers = [
  '"colour":"green"',
  '"ID":1',
  '"Name":"n"',
  '"id ":1',
  '"":""',
  '"x":null',
  '"x":[1,{"id":"7","name":null,"tag":0}]',
  '"x":1e999999999',
  '"x":-1e-999999999',
  '"x":123456789012345678901234567890.5',
  '"x":"\\u0000"',
  '"x":"\\ud800"',
  '"\\udc00":true',
  '"toString":"x"',
  '"toJSON":{}',
  '"length":0',
];

const pollution = [
  '"__proto__":{"tag":"polluted"}',
  '"__proto__":null',
  '"__proto__":"x"',
  '"\\u005f_proto__":{"tag":"polluted"}',
  '"constructor":{"prototype":{"tag":"polluted"}}',
  '"constructor":null',
  '"prototype":{"tag":"polluted"}',
  '"x":{"__proto__":{"tag":"polluted"}}',
  '"hasOwnProperty":1',
];

const elsewhere = [
  '{"\\u0069d":ID,"name":"NAME"}',
  '{"\\u0069\\u0064":ID,"n\\u0061me":"NAME"}',
  '{"x":{"id":1},"id":ID,"name":"NAME"}',
  '{"id":ID,"name":"NAME","x":{"id":9007199254740993,"name":null,"tag":7}}',
  '{"id":ID,"x":[{"id":9007199254740993},{"id":"7"}],"name":"NAME"}',
  '{"x":"\\"id\\":9007199254740993,","id":ID,"name":"NAME"}',
  '{"id":ID,"name":"NAME","x":"\\",\\"id\\":7,\\"tag\\":\\"t\\""}',
  '{"x":"\\\\","id":ID,"name":"NAME","y":["id",9007199254740993]}',
];

function withMember(json: string, member: string): string {
  return `${json.slice(0, -1)},${member}}`;
}
