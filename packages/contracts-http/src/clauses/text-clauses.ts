import type { Clause } from '@plant-store/contracts-kit';
import type { NewPlant } from '@plant-store/domain';
import { bodyLimitOf } from '../body-limit.ts';
import type { DeployedService } from '../deployed-service.ts';
import { create, expectCreated, expectError, expectNotStored, expectPlant } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { expectIdTaken, expectStillStored } from '../expectations/stored-plants.ts';
import { anyId, aPlant, jsonOf } from '../new-plants.ts';
import { escapes, faultyRecords, lookalikes, texts, unstorable } from './text-cases.ts';

/** What is text in a plant. */
export const textClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-13',
    title: 'texts are stored and returned exactly: no trimming, no normalization, no limit but the body’s',
    check: async (service) => {
      await forEachCase(texts, async (text) => {
        for (const plant of [aPlant({ name: text }), aPlant({ tag: text })]) {
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
        const [named, tagged] = [aPlant({ name: text }), aPlant({ tag: text })];
        const [storedNamed, storedTagged] = [await expectCreated(service, named), await expectCreated(service, tagged)];
        const instead = `${codePointsOf(other)} in the place of ${codePointsOf(text)}`;
        await expectIdTaken(service, { ...named, name: other }, storedNamed, `a name with ${instead}`);
        await expectIdTaken(service, { ...tagged, tag: other }, storedTagged, `a tag with ${instead}`);
      }),
  },
  {
    id: 'HC-15',
    title: 'a text is the same however JSON escapes it',
    check: (service) =>
      forEachCase(escapes, async ([text, escaped]) => {
        const plant = aPlant({ name: text, tag: text });
        const stored = await create(service, `{"id":${plant.id},"name":"${escaped}","tag":"${escaped}"}`);
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
        const inName = await create(service, `{"id":${id},"name":"${escaped}"}`);
        expectError(inName, 'not-a-new-plant');
        const inTag = await create(service, `{"id":${id},"name":"n","tag":"${escaped}"}`);
        expectError(inTag, 'not-a-new-plant');
        await expectNotStored(service, id, inTag);
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
 * Plants whose body is almost as large as the service accepts (how much that is, is for HC-26 to say), nearly all of it
 * text, and each with another one that differs in the last character. 1 MiB at most: they stay in the store.
 */
function largestPlants(service: DeployedService): readonly (readonly [NewPlant, NewPlant])[] {
  const [named, tagged] = [aPlant({ name: '' }), aPlant({ tag: '' })];
  const spaceIn = (plant: NewPlant) => Math.min(bodyLimitOf(service), 2 ** 20) - 16 - Buffer.byteLength(jsonOf(plant));
  const name = 'x'.repeat(spaceIn(named) - 1);
  const tag = '🌱'.repeat(spaceIn(tagged) / 4 - 1);
  return [
    [
      { ...named, name: `${name}x` },
      { ...named, name: `${name}y` },
    ],
    [
      { ...tagged, tag: `${tag}🌱` },
      { ...tagged, tag: `${tag}🌲` },
    ],
  ];
}

/** The code points tell apart texts that look alike: «U+0065 U+0301». */
function codePointsOf(text: string): string {
  const points = [...text].map((character) => character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0'));
  return points.length === 0 ? 'nothing' : points.map((point) => `U+${point}`).join(' ');
}
