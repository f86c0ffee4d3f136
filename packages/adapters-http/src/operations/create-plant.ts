import { PlantRefused, type UseCases } from '@plant-store/domain';
import { HttpError } from '@plant-store/http-edge';
import { newPlantRecord, parseJson, plantRecord, readNewPlant } from '@plant-store/plant-json';
import { errorKind } from './error-catalogue.ts';
import { operation } from './operation.ts';

/** `POST /plants`. */
export const createPlant = operation({
  id: 'createPlant',
  method: 'POST',
  path: '/plants',
  summary: 'Create plant',
  description:
    'Creates a new plant in the store. 200 is sent once the plant is stored durably. The same NewPlant may be sent ' +
    'again at any time, with the same response; 400 if the id is taken by another plant.',
  tag: { name: 'plants', description: 'The plants in the store.' },
  body: {
    name: 'NewPlant',
    schema: newPlantRecord,
    read: (bytes) => readNewPlant(parseJson(bytes)),
    examples: {
      'with-a-tag': { id: 7, name: 'Fern', tag: 'shade' },
      'without-a-tag': { id: 8, name: 'Moss' },
    },
  },
  response: {
    name: 'Plant',
    description: 'The created plant.',
    schema: plantRecord,
    examples: { 'with-a-tag': { name: 'Fern', tag: 'shade' }, 'without-a-tag': { name: 'Moss' } },
  },
  errors: {
    'not-a-new-plant': errorKind(
      40002,
      'The body is JSON, but not a NewPlant; the message names every invalid field.',
      () => readNewPlant({ tag: 7 }),
    ),
    'id-taken': errorKind(40005, 'A plant with other values has the id. It is unchanged.', idTaken(7n)),
    'plant-refused': errorKind(
      40008,
      'The store refuses this plant; sending it again will not help.',
      new PlantRefused(''),
    ),
  },
  handle: ({ body }, useCases: UseCases) => useCases.createPlant(body),
  respond(result) {
    if (result.outcome === 'created') return result.plant;
    throw idTaken(result.id);
  },
});

function idTaken(id: bigint): HttpError {
  const message = `id ${id} is already used by a different plant; choose another id`;
  return new HttpError('id-taken', message, {}, 'another plant has the id');
}
