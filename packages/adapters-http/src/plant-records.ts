import { INT64_MAX, INT64_MIN, isInt64, isStorableText, type NewPlant, type Plant } from '@plant-store/domain';
import { z } from 'zod';

export { InvalidJson, parseJson } from './json.ts';

/** What is wrong with a field, as it follows the field's name. */
function fault(expected: string) {
  return ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is missing' : `must be ${expected}`);
}

/** Text that JSON and every store can keep; see `isStorableText`. */
function text(expected: string) {
  return z.string({ error: fault(expected) }).refine(isStorableText, { error: fault(expected) });
}

const idFault = fault(`an integer from ${INT64_MIN} to ${INT64_MAX}`);

const texts = {
  name: text('a string of well-formed Unicode without U+0000').meta({
    description: 'The name of the plant: any well-formed Unicode text without U+0000, kept exactly.',
  }),
  tag: text('a string of well-formed Unicode without U+0000, or absent').exactOptional().meta({
    description: 'Tag that specifies the type of the plant: text, as the name is. Absent and empty tags differ.',
  }),
};

/** The Plant record of the interface. */
export const plantRecord: z.ZodType<Plant> = z.object(texts).meta({
  id: 'Plant',
  description: 'The created plant.',
  examples: [{ name: 'Fern', tag: 'shade' }, { name: 'Moss' }],
});

/** The NewPlant record of the interface. Its id is a bigint, as `parseJson` makes it. Other members are ignored. */
export const newPlantRecord: z.ZodType<NewPlant> = z
  .object(
    {
      id: z
        .bigint({ error: idFault })
        .refine(isInt64, { error: idFault })
        .meta({
          description: `Identification number of the plant: any integer from ${INT64_MIN} to ${INT64_MAX}.`,
        }),
      ...texts,
    },
    { error: fault('a JSON object with id and name') },
  )
  .meta({
    id: 'NewPlant',
    description: 'A plant to create. The client chooses its id.',
    examples: [
      { id: 7, name: 'Fern', tag: 'shade' },
      { id: 8, name: 'Moss' },
    ],
  });
