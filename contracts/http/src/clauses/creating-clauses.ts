import { type Clause, ContractViolation } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, textFields } from '@plant-store/domain';
import type { DeployedService } from '../deployed-service.ts';
import { create, expectCreated, expectError, expectPlant } from '../expectations/expectations.ts';
import { expectIdTaken, expectStillStored } from '../expectations/stored-plants.ts';
import { aFullPlant, anyId, aPlant, plantWithout } from '../new-plants.ts';

/** Creating is idempotent, and an id belongs to one plant for ever. */
export const creatingClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-18',
    title: 'the same NewPlant sent again gets the same response',
    check: async (service) => {
      for (const plant of [aPlant(), aFullPlant(), aFullPlant(anyId(), () => '')]) {
        const first = await expectCreated(service, plant);
        for (const time of ['2nd', '3rd', '4th', '5th'])
          await expectStillStored(service, plant, first, `the same plant for the ${time} time`);
      }
    },
  },
  {
    id: 'HC-19',
    title: 'an id that another plant has gets 400, and the stored plant is unchanged',
    check: async (service) => {
      const withoutOne = optionalTextFields.map((field) => plantWithout(field, aFullPlant()));
      const withEmpty = optionalTextFields.map((field) => ({ ...aFullPlant(), [field]: '' }));
      for (const plant of [...withoutOne, ...withEmpty, aFullPlant()]) {
        const stored = await expectCreated(service, plant);
        for (const other of othersThan(plant)) {
          const refused = await expectIdTaken(service, other, stored);
          await expectStillStored(service, plant, refused, 'the plant that was stored');
        }
      }
    },
  },
  {
    id: 'HC-20',
    title: 'of different plants that race for one id exactly one is stored, and the others get 400',
    check: async (service) => {
      for (const racers of races) {
        const id = anyId();
        const plants = Array.from({ length: racers }, () => aPlant({ id }));
        const about = `one of ${racers} different plants with the id ${id} at once`;
        const responses = await Promise.all(plants.map((plant) => create(service, plant, about)));
        const winners = plants.filter((_, at) => responses[at]?.status === 200);
        const winner = winners[0];
        if (winner === undefined || winners.length > 1) {
          throw new ContractViolation(
            `sent ${racers} different plants with the id ${id} at once`,
            `${winners.length} got 200; the statuses were ${responses.map(({ status }) => status)}`,
            'exactly one gets 200',
          );
        }
        for (const [at, response] of responses.entries()) {
          if (plants[at] === winner) {
            expectPlant(response, winner);
            await expectStillStored(service, winner, response, 'the plant that was stored');
          } else expectError(response, 'id-taken');
        }
      }
    },
  },
  {
    id: 'HC-21',
    title: 'of equal plants that race for one id every one gets 200',
    check: async (service) => {
      for (const racers of races) {
        const plant = aFullPlant();
        const about = `one of ${racers} equal plants at once`;
        const [stored] = await Promise.all([
          expectCreated(service, plant, about),
          ...Array.from({ length: racers - 1 }, () => expectCreated(service, plant, about)),
        ]);
        await expectIdTaken(service, aPlant({ id: plant.id }), stored);
      }
    },
  },
];

/** Two racers meet most often between a lookup and a write; a hundred fill queues and batches. */
const races = [2, 2, 2, 2, 2, 20, 20, 100];

/** Plants under the same id, each of which differs in one text or in all. */
function othersThan(plant: NewPlant): NewPlant[] {
  const full = aFullPlant(plant.id);
  const others = textFields.flatMap((field) => [
    { ...plant, [field]: `other ${field}` },
    { ...plant, [field]: full[field]?.toUpperCase() },
    { ...plant, [field]: full[field] },
    { ...plant, [field]: '' },
  ]);
  const without = optionalTextFields.map((field) => plantWithout(field, plant));
  const allDiffer = [aPlant({ id: plant.id, name: 'Moss' }), aFullPlant(plant.id, (field) => `other ${field}`)];
  return [...others, ...without, ...allDiffer].filter((other) =>
    // Not by `isSamePlant`: the service may use that itself.
    textFields.some((field) => plant[field] !== other[field]),
  );
}
