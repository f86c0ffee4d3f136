import { PlantRefused, parseNewPlant, type UseCases } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';
import { errorKinds, HttpError } from './errors.ts';

/** The kinds of errors that only requests about plants can get. */
export const plantErrors = errorKinds({
  'not-a-new-plant': [40002, 'The body is JSON, but not a NewPlant; the message names every invalid field.'],
  'id-taken': [40005, 'The id is taken by another plant, which is unchanged: choose another id.'],
  'plant-refused': [40008, 'The store refuses this plant; sending it again will not help.'],
});

/** `POST /plants` creates a plant, by the rules of the domain. */
export async function plants(app: FastifyInstance, { createPlant }: UseCases): Promise<void> {
  app.post('/plants', async ({ body }) => {
    const parsed = parseNewPlant(body);
    if ('faults' in parsed) {
      const faults = parsed.faults.map(({ field = 'the body', message }) => `${field} ${message}`);
      throw new HttpError(plantErrors['not-a-new-plant'], { message: faults.join('; ') });
    }
    try {
      const result = await createPlant(parsed.plant);
      if (result.outcome === 'created') return result.plant;
    } catch (error) {
      throw PlantRefused.is(error) ? new HttpError(plantErrors['plant-refused'], { reason: error.message }) : error;
    }
    throw new HttpError(plantErrors['id-taken']);
  });
}
