import { type Clause, hardTexts, lookalikes } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, textFields } from '@plant-store/domain';
import { roomIn } from '../body-limit.ts';
import type { DeployedService } from '../deployed-service.ts';
import { create, expectCreated, expectError, expectNotStored, expectPlant } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { expectIdTaken, expectStillStored } from '../expectations/stored-plants.ts';
import { aFullPlant, anyId, aPlant } from '../new-plants.ts';
import { escapes, faultyRecords, unstorable } from './text-cases.ts';

/** The texts of a plant. */
export const textClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-13',
    title: 'texts are stored and returned exactly: no trimming, no normalization, no limit but the body’s',
    check: async (service) => {
      await forEachCase(hardTexts, async (text) => {
        for (const plant of textFields.map((field) => aPlant({ [field]: text }))) {
          await expectStillStored(service, plant, await expectCreated(service, plant));
        }
      });
      for (const [plant, other] of largestPlants(service)) {
        const stored = await expectCreated(service, plant);
        await expectStillStored(service, plant, stored);
        await expectIdTaken(service, other, stored, 'the plant before, but for its last character');
      }
    },
  },
  {
    id: 'HC-14',
    title: 'texts that only look alike are different texts',
    check: (service) =>
      forEachCase(lookalikes, async ([text, other]) => {
        for (const field of textFields) {
          const plant = aPlant({ [field]: text });
          const stored = await expectCreated(service, plant);
          const about = `a ${field} with ${codePointsOf(other)} in the place of ${codePointsOf(text)}`;
          await expectIdTaken(service, { ...plant, [field]: other }, stored, about);
        }
      }),
  },
  {
    id: 'HC-15',
    title: 'a text is the same however JSON escapes it',
    check: (service) =>
      forEachCase(escapes, async ([text, escaped]) => {
        const plant = aFullPlant(anyId(), () => text);
        const members = textFields.map((field) => `"${field}":"${escaped}"`);
        const stored = await create(service, `{"id":${plant.id},${members}}`);
        expectPlant(stored, plant);
        await expectStillStored(service, plant, stored, 'the same plant written in another way');
      }),
  },
  {
    id: 'HC-16',
    title: 'U+0000 and unpaired surrogates are refused',
    check: (service) =>
      forEachCase(unstorable, async (escaped) => {
        const id = anyId();
        let refused = await create(service, `{"id":${id},"name":"${escaped}"}`);
        expectError(refused, 'not-a-new-plant');
        for (const field of optionalTextFields) {
          refused = await create(service, `{"id":${id},"name":"n","${field}":"${escaped}"}`);
          expectError(refused, 'not-a-new-plant');
        }
        await expectNotStored(service, id, refused);
      }),
  },
  {
    id: 'HC-17',
    title:
      'a missing name, and a text that is not a string, is refused; the message names every faulty field, the id too',
    check: (service) =>
      forEachCase(faultyRecords, async ([members, fields]) => {
        const id = anyId();
        const refused = await create(service, `{${members.replace('ID', String(id))}}`);
        expectError(refused, 'not-a-new-plant', fields);
        await expectNotStored(service, id, refused);
      }),
  },
];

/**
 * Plants whose body is almost as large as the service accepts (which is for HC-26 to check), nearly all of it
 * text, and each with another one that differs in the last character.
 */
function largestPlants(service: DeployedService): readonly (readonly [NewPlant, NewPlant])[] {
  return textFields.map((field) => {
    const plant = aPlant();
    // The name with one byte per character, the others with four.
    const [character, other, bytes] = field === 'name' ? ['x', 'y', 1] : ['🌱', '🌲', 4];
    const text = character.repeat(Math.floor(roomIn(service) / bytes) - 1);
    return [
      { ...plant, [field]: text + character },
      { ...plant, [field]: text + other },
    ];
  });
}

/** The code points tell apart texts that look alike: «U+0065 U+0301». */
function codePointsOf(text: string): string {
  const points = [...text].map((character) => character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0'));
  return points.length === 0 ? 'nothing' : points.map((point) => `U+${point}`).join(' ');
}
