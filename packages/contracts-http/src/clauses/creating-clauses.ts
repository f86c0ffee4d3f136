import { type Clause, ContractViolation } from '@plant-store/contracts-kit';
import type { NewPlant } from '@plant-store/domain';
import type { DeployedService } from '../deployed-service.ts';
import { create, expectCreated, expectError, expectPlant } from '../expectations/expectations.ts';
import { expectIdTaken, expectStillStored } from '../expectations/stored-plants.ts';
import { anyId, aPlant } from '../new-plants.ts';

/** Creating is idempotent, and an id is one plant's for ever. */
export const creatingClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-18',
    title: 'the same NewPlant sent again gets the same response',
    check: async (service) => {
      for (const plant of [aPlant(), aPlant({ tag: 'shade' }), aPlant({ name: '', tag: '' })]) {
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
      for (const tag of [undefined, '', 'shade']) {
        const plant: NewPlant = { id: anyId(), name: 'Fern', ...(tag === undefined ? {} : { tag }) };
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
        const plant = aPlant({ tag: 'shade' });
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

/** Two racers meet most often in the gap between a look and a write; a hundred fill queues and batches. */
const races = [2, 2, 2, 2, 2, 20, 20, 100];

function othersThan({ id, tag }: NewPlant): NewPlant[] {
  const others = [
    { id, name: 'Moss' },
    { id, name: '' },
    { id, name: 'fern', tag: 'shade' },
    { id, name: 'Fern' },
    { id, name: 'Fern', tag: '' },
    { id, name: 'Fern', tag: 'shade' },
    { id, name: 'Fern', tag: 'sun' },
  ];
  return others.filter((other) => other.name !== 'Fern' || other.tag !== tag);
}
