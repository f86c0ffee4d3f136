import { z } from 'zod';

/** What an operator reads of a setting, besides its name. */
export interface About {
  /** What it sets. */
  readonly description?: string;
  /** How its value is written; completes the message «expected …». */
  readonly expected?: string;
  /** Its default, if that is not a constant. */
  readonly unset?: string;
  /** Removes secrets from a value before it is shown. */
  readonly masked?: (text: string) => string;
}

/** The name of a variable, and what is wrong with it. */
export type Fault = readonly [name: string, message: string];

const registry = z.registry<About>();

/** A setting of the form of a schema. */
export function setting<Schema extends z.ZodType>(schema: Schema, about: About): Schema {
  const own = schema.clone();
  registry.add(own, about);
  return own;
}

/** What is known of a setting: its own entry, and that of its form. */
export function aboutOf(schema: z.ZodType): About {
  const form =
    schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? aboutOf(schema.unwrap() as z.ZodType) : {};
  return { ...form, ...registry.get(schema) };
}

/** The default as an operator writes it, or in words if it is not a constant; undefined if there is none. */
export function defaultOf(schema: z.ZodType): string | undefined {
  const { data } = schema.safeParse(undefined);
  return aboutOf(schema).unset ?? (data === undefined ? undefined : String(data));
}

/** Text that is taken as it is: with what is copied along it would match nothing, or name another file. */
export function plainText(expected: string) {
  const value = z.string().regex(/^(?![\s"'`“‘])[^\p{Cc}\p{Cf}]+(?<![\s"'`”’])$/u);
  return setting(value, { expected: `${expected}, without quotes, white space or control characters around it` });
}

/** One of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]) {
  return setting(z.enum(words), { expected: words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ') });
}

/** An integer from `min` to `max`, both included. */
export function wholeNumber(min: number, max: number) {
  const value = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
  return setting(value, { expected: `a whole number from ${min} to ${max}` });
}
