import { INT64_MAX, INT64_MIN, isInt64, isStorableText, type NewPlant, type Plant } from '@plant-store/domain';
import { z } from 'zod';
import { InvalidPlant } from './faults.ts';

const idExpected = `an integer from ${INT64_MIN} to ${INT64_MAX}`;

/** Text that JSON and every store can keep; see `isStorableText`. */
function text(expected: string) {
  return z.string({ error: expected }).refine(isStorableText, { error: expected });
}

const fields = {
  name: text('a string of well-formed Unicode without U+0000').meta({
    description: 'The name of the plant: any well-formed Unicode text without U+0000, kept exactly.',
  }),
  tag: text('a string of well-formed Unicode without U+0000, or no tag').exactOptional().meta({
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
  { error: 'a JSON object with id and name' },
);

/**
 * Reads a NewPlant from a JSON value whose integer at `id` is a bigint (see `parseJson`).
 *
 * @throws {InvalidPlant} naming every invalid field and what was expected.
 */
export function readNewPlant(value: unknown): NewPlant {
  const result = newPlantRecord.safeParse(value);
  if (result.success) return result.data;
  const expected = new Map(result.error.issues.map(({ path: [field], message }) => [field, message]));
  throw new InvalidPlant(
    [...expected].map(([field, message]) => ({ field: field as keyof NewPlant, expected: message })),
  );
}
