import { z } from 'zod';

/** A variable that holds a whole number, from `min` to `max`. */
export function wholeNumber(min: number, max: number): z.ZodType<number, string> {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, { error: expected })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: expected });
}
