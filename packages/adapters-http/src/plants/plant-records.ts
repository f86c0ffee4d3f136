import { INT64_MAX, INT64_MIN, isInt64, isStorableText, type NewPlant, type Plant } from '@plant-store/domain';
import { z } from 'zod';
import { HttpError } from '../errors/http-error.ts';

const idExpected = `id: expected an integer from ${INT64_MIN} to ${INT64_MAX}`;

/** Text that JSON and every store can keep; see `isStorableText`. */
function text(expected: string) {
  return z.string({ error: expected }).refine(isStorableText, { error: expected });
}

const fields = {
  name: text('name: expected a string of well-formed Unicode without U+0000').meta({
    description: 'The name of the plant: any well-formed Unicode text without U+0000, kept exactly.',
  }),
  tag: text('tag: expected a string of well-formed Unicode without U+0000, or no tag').exactOptional().meta({
    description: 'Tag that specifies the type of the plant: text, as the name is. Absent and empty tags differ.',
  }),
};

/** The Plant record of the interface. */
export const plantRecord: z.ZodType<Plant> = z.object(fields);

/** The NewPlant record of the interface. Other members are ignored. */
export const newPlantRecord: z.ZodType<NewPlant> = z.object(
  {
    id: z
      .bigint({ error: idExpected })
      .refine(isInt64, { error: idExpected })
      .meta({ description: `Identification number of the plant: any integer from ${INT64_MIN} to ${INT64_MAX}.` }),
    ...fields,
  },
  { error: 'the body: expected a JSON object with id and name' },
);

/** The Error record of the interface. */
export const errorRecord = z.object({
  error: z.int32().meta({ description: 'Numeric error indicator: the number of this kind of error.', format: 'int32' }),
  message: z.string().meta({ description: 'Error message text, for people.' }),
});

/**
 * Reads a NewPlant from a parsed body, whose integers at `id` are bigints (see `parseJsonBody`).
 *
 * @throws {HttpError} `not-a-new-plant`, naming every invalid field and what was expected.
 */
export function readNewPlant(body: unknown): NewPlant {
  const result = newPlantRecord.safeParse(body);
  if (result.success) return result.data;
  const faults = new Set(result.error.issues.map((issue) => issue.message));
  throw new HttpError('not-a-new-plant', [...faults].join('; '));
}
