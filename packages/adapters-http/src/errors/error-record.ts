import { z } from 'zod';

/** The Error record of the interface. */
export const errorRecord = z.object({
  error: z.int32().meta({ description: 'Numeric error indicator: the number of this kind of error.', format: 'int32' }),
  message: z.string().meta({ description: 'Error message text, for people.' }),
});
