import { z } from 'zod';

/** The documentation of a setting. */
export interface SettingMetadata {
  /** The purpose of the setting. */
  readonly description?: string;
  /** The form of the value; completes the message «expected …». */
  readonly expected?: string;
  /** The default in words, if it is not constant. */
  readonly unset?: string;
  /** Masks secrets in a value before it is shown. */
  readonly masked?: (text: string) => string;
}

/** The name of a setting, and what is wrong with it. */
export type Fault = readonly [name: string, message: string];

const registry = z.registry<SettingMetadata>();

/** Attaches documentation to a schema. */
export function setting<Schema extends z.ZodType>(schema: Schema, about: SettingMetadata): Schema {
  const own = schema.clone();
  registry.add(own, about);
  return own;
}

/** The documentation of a schema, merged with that of the schema it wraps. */
export function metadataOf(schema: z.ZodType): SettingMetadata {
  const form =
    schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? metadataOf(schema.unwrap() as z.ZodType) : {};
  return { ...form, ...registry.get(schema) };
}

/** The default as an operator writes it, or in words if it is not constant; undefined if there is none. */
export function defaultOf(schema: z.ZodType): string | undefined {
  const { data } = schema.safeParse(undefined);
  return metadataOf(schema).unset ?? (data === undefined ? undefined : String(data));
}

/** Text that is used verbatim. Surrounding quotes and white space are rejected: they were probably copied by mistake. */
export function plainText(expected: string) {
  const value = z.string().regex(/^(?![\s"'`“‘])[^\p{Cc}\p{Cf}]+(?<![\s"'`”’])$/u);
  return setting(value, { expected: `${expected}, without quotes, white space or control characters around it` });
}

/** One of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]) {
  return setting(z.enum(words), { expected: words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ') });
}

/** An integer from `min` to `max`, inclusive. */
export function wholeNumber(min: number, max: number) {
  const value = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
  return setting(value, { expected: `a whole number from ${min} to ${max}` });
}
