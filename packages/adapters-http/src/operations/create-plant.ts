import type { UseCases } from '@plant-store/domain';
import { HttpError } from '@plant-store/http-edge';
import { newPlantRecord, parseJson, plantRecord, readNewPlant } from '@plant-store/plant-json';
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
  errors: ['not-a-new-plant', 'id-taken', 'plant-refused', 'store-unavailable'],
  handle: ({ body }, useCases: UseCases) => useCases.createPlant(body),
  respond(result) {
    if (result.outcome === 'created') return result.plant;
    throw idTaken(result.id);
  },
});

export function idTaken(id: bigint): HttpError {
  const message = `id: another plant has the id ${id}; send that very plant, or choose another id`;
  return new HttpError('id-taken', message, {}, 'another plant has the id');
}
