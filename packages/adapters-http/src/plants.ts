import {
  INT64_MAX,
  INT64_MIN,
  optionalTextFields,
  type Plant,
  PlantRefused,
  parseNewPlant,
  textFields,
  type ValidNewPlant,
} from '@plant-store/domain';
import { z } from 'zod';
import { errorKinds, HttpError } from './errors.ts';
import type { Operation } from './operation.ts';

/** The texts of a plant as JSON Schema describes them. */
const texts: Readonly<Record<keyof Plant, { readonly type: 'string'; readonly description: string }>> = {
  name: {
    type: 'string',
    description: 'The name of the plant: any well-formed Unicode text without U+0000, kept exactly.',
  },
  tag: {
    type: 'string',
    description: 'Tag that specifies the type of the plant: text, as the name is. Absent and empty tags differ.',
  },
};

const required: readonly string[] = textFields.filter((field) => !optionalTextFields.includes(field));

/** The Plant record of the API. */
const plantRecord: z.ZodType<Plant> = z.custom<Plant>().meta({
  id: 'Plant',
  type: 'object',
  properties: texts,
  required,
  description: 'A plant as it is stored.',
  examples: [{ name: 'Fern', tag: 'shade' }, { name: 'Moss' }],
});

/** The NewPlant record of the API, by the rules of the domain. Its id is a bigint, as `parseJson` returns it. */
const newPlantRecord: z.ZodType<ValidNewPlant> = z
  .custom<ValidNewPlant>()
  .check((context) => {
    const parsed = parseNewPlant(context.value);
    if ('plant' in parsed) context.value = parsed.plant;
    else
      for (const { field, message } of parsed.faults)
        context.issues.push({ code: 'custom', input: context.value, path: field ? [field] : [], message });
  })
  .meta({
    id: 'NewPlant',
    type: 'object',
    properties: {
      id: {
        type: 'integer',
        // No `minimum` and `maximum`, because readers whose numbers are doubles would round them. The format implies the range.
        format: 'int64',
        description: `Identification number of the plant: any integer from ${INT64_MIN} to ${INT64_MAX}.`,
      },
      ...texts,
    },
    required: ['id', ...required],
    description: 'A plant to create. The client chooses its id.',
    examples: [
      { id: 7, name: 'Fern', tag: 'shade' },
      { id: 8, name: 'Moss' },
    ],
  });

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
export const createPlant: Operation<'createPlant', ValidNewPlant> = {
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
