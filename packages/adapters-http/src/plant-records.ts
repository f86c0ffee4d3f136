import {
  INT64_MAX,
  INT64_MIN,
  optionalTextFields,
  type Plant,
  parseNewPlant,
  textFields,
  type ValidNewPlant,
} from '@plant-store/domain';
import { z } from 'zod';

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
export const plantRecord: z.ZodType<Plant> = z.custom<Plant>().meta({
  id: 'Plant',
  type: 'object',
  properties: texts,
  required,
  description: 'The created plant.',
  examples: [{ name: 'Fern', tag: 'shade' }, { name: 'Moss' }],
});

/** The NewPlant record of the API, by the rules of the domain. Its id is a bigint, as `parseJson` returns it. */
export const newPlantRecord: z.ZodType<ValidNewPlant> = z
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
