import type { UseCases } from '@plant-store/domain';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { HttpError } from './errors.ts';
import { newPlantRecord, plantRecord } from './plant-records.ts';

/** The route `POST /plants`. */
export const createPlantRoute: FastifyPluginAsyncZod<{ readonly useCases: UseCases }> = async (app, { useCases }) => {
  app.post(
    '/plants',
    {
      schema: {
        operationId: 'createPlant',
        summary: 'Create plant',
        description:
          'Creates a new plant in the store. 200 is sent once the plant is stored durably. The same NewPlant may be sent ' +
          'again at any time, with the same response; 400 if the id is taken by another plant.',
        tags: ['plants'],
        body: newPlantRecord,
        response: { 200: plantRecord },
      },
    },
    async ({ body }) => {
      const result = await useCases.createPlant(body);
      if (result.outcome === 'created') return result.plant;
      throw new HttpError('id-taken');
    },
  );
};
