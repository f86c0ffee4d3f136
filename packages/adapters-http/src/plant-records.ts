import { INT64_MAX, INT64_MIN, isInt64, isStorableText, type NewPlant, type Plant } from '@plant-store/domain';
import { z } from 'zod';

/** Returns the error message of a field, without the field's name. */
function expects(expected: string) {
  return ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is missing' : `must be ${expected}`);
}

/** A text field that every store can store; see `isStorableText`. */
function text(expected: string) {
  return z.string({ error: expects(expected) }).refine(isStorableText, { error: expects(expected) });
}

const idError = expects(`an integer without quotes, from ${INT64_MIN} to ${INT64_MAX}`);

const texts = {
  name: text('a string of well-formed Unicode without U+0000').meta({
    description: 'The name of the plant: any well-formed Unicode text without U+0000, kept exactly.',
  }),
  tag: text('a string of well-formed Unicode without U+0000, or absent').exactOptional().meta({
    description: 'Tag that specifies the type of the plant: text, as the name is. Absent and empty tags differ.',
  }),
};

/** The Plant record of the API. */
export const plantRecord: z.ZodType<Plant> = z.object(texts).meta({
  id: 'Plant',
  description: 'A plant as it is stored.',
  examples: [{ name: 'Fern', tag: 'shade' }, { name: 'Moss' }],
});

/** The NewPlant record of the API. Its id is a bigint, as `parseJson` returns it. Unknown members are ignored. */
export const newPlantRecord: z.ZodType<NewPlant> = z
  .object(
    {
      id: z
        .bigint({ error: idError })
        .refine(isInt64, { error: idError })
        .meta({
          description: `Identification number of the plant: any integer from ${INT64_MIN} to ${INT64_MAX}.`,
        }),
      ...texts,
    },
    { error: expects('a JSON object with id and name') },
  )
  .meta({
    id: 'NewPlant',
    description: 'A plant to create. The client chooses its id.',
    examples: [
      { id: 7, name: 'Fern', tag: 'shade' },
      { id: 8, name: 'Moss' },
    ],
  });
