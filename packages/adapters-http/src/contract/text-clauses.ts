import type { Clause } from '@plant-store/domain/contract';
import type { DeployedService } from './deployed-service.ts';
import { every } from './every.ts';
import { create, expectCreated, expectError, expectNotStored, expectPlant } from './expectations.ts';
import { anyId, aPlant } from './new-plants.ts';
import { escapes, faultyRecords, lookalikes, texts, unstorable } from './text-cases.ts';

/** Names and tags. */
export const textClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-13',
    title: 'a name and a tag are stored and answered exactly: no trimming, no normalization, no limit but the body’s',
    check: (service) =>
      every(texts, async (text) => {
        for (const plant of [aPlant({ name: text }), aPlant({ tag: text })]) {
          await expectCreated(service, plant);
          await expectCreated(service, plant);
        }
      }),
  },
  {
    id: 'HC-14',
    title: 'texts that only look alike are different texts',
    check: (service) =>
      every(lookalikes, async ([text, other]) => {
        const [named, tagged] = [aPlant({ name: text }), aPlant({ tag: text })];
        await expectCreated(service, named);
        await expectCreated(service, tagged);
        expectError(await create(service, { ...named, name: other }), 'id-taken');
        expectError(await create(service, { ...tagged, tag: other }), 'id-taken');
      }),
  },
  {
    id: 'HC-15',
    title: 'a text is the same however JSON writes it',
    check: (service) =>
      every(escapes, async ([text, escaped]) => {
        const plant = aPlant({ name: text, tag: text });
        expectPlant(await create(service, `{"id":${plant.id},"name":"${escaped}","tag":"${escaped}"}`), plant);
        await expectCreated(service, plant);
      }),
  },
  {
    id: 'HC-16',
    title: 'U+0000 and surrogates without their partner are refused, by the name of the field',
    check: (service) =>
      every(unstorable, async (escaped) => {
        const id = anyId();
        const inName = await create(service, `{"id":${id},"name":"${escaped}"}`);
        expectError(inName, 'not-a-new-plant', ['name']);
        const inTag = await create(service, `{"id":${id},"name":"n","tag":"${escaped}"}`);
        expectError(inTag, 'not-a-new-plant', ['tag']);
        await expectNotStored(service, id, inTag);
      }),
  },
  {
    id: 'HC-17',
    title:
      'a name that is missing, and a name or tag that is not a string, is refused; the message names every faulty field',
    check: (service) =>
      every(faultyRecords, async ([members, fields]) => {
        const id = anyId();
        const refused = await create(service, `{${members.replace('ID', String(id))}}`);
        expectError(refused, 'not-a-new-plant', fields);
        await expectNotStored(service, id, refused);
      }),
  },
];
