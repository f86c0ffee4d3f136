import { type NewPlant, PlantRefused } from '@plant-store/domain';
import { errorKinds, HttpError } from './errors.ts';
import type { Operation } from './operation.ts';
import { newPlantRecord, plantRecord } from './plant-records.ts';

const errors = errorKinds({
  'not-a-new-plant': [
    40002,
    'The body is JSON, but not a NewPlant; the message names every invalid field.',
    'id is missing; name must be a string of well-formed Unicode without U+0000',
  ],
  'id-taken': [40005, 'The id is taken by another plant, which is unchanged: choose another id.'],
  'plant-refused': [40008, 'The store refuses this plant; sending it again will not help.'],
});

/** `POST /plants` creates a plant. */
export const createPlant: Operation<'createPlant', NewPlant> = {
  useCase: 'createPlant',
  method: 'POST',
  path: '/plants',
  operationId: 'createPlant',
  summary: 'Create plant',
  description:
    'Creates a new plant in the store. 200 is sent once the plant is stored durably. The same NewPlant may be sent ' +
    'again at any time, with the same response; 400 if the id is taken by another plant.',
  tags: ['plants'],
  result: 'The created plant.',
  schemas: { body: newPlantRecord, response: { 200: plantRecord } },
  errors: Object.values(errors),
  invalid: errors['not-a-new-plant'],
  async handle(createPlant, { body }) {
    try {
      const result = await createPlant(body);
      if (result.outcome === 'created') return result.plant;
    } catch (error) {
      throw PlantRefused.is(error) ? new HttpError(errors['plant-refused'], { reason: error.message }) : error;
    }
    throw new HttpError(errors['id-taken']);
  },
};
