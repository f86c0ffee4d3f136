import { z } from 'zod';

/** A decision of the operator's, made by an environment variable. */
export interface Setting<Value = unknown> extends Form<Value> {
  /** What it decides, for the operator. */
  readonly meaning: string;
  /** What it is where it is not set, as an operator would write it. */
  readonly default?: string;
  /** The same for the documents, where the default depends on the machine, or leaving it out has a meaning of its own. */
  readonly unset?: string;
  /** What may be shown of it; left out where all of it may be. */
  readonly masked?: (text: string) => string;
}

/** How a setting is written. */
export interface Form<Value> {
  /** For a person, behind the word «expected». */
  readonly form: string;
  /** What it is read with. Its own messages are not used. */
  readonly value: z.ZodType<Value, string>;
}

/** Settings by their names. */
export type Settings = Readonly<Record<string, Setting>>;

/** The values of settings, undefined where one is not set and has no default. */
export type ValuesOf<Table extends Settings> = {
  readonly [Name in keyof Table]:
    | z.output<Table[Name]['value']>
    | (Table[Name] extends { readonly default: string } ? never : undefined);
};

/**
 * What the settings are, and what is wrong with which. Values are not repeated in a fault: they may be secrets. A faulty
 * value is undefined.
 */
export interface Reading<Table extends Settings> {
  readonly values: ValuesOf<Table>;
  readonly faults: readonly string[];
}

/** Reads settings from the environment. */
export function readSettings<Table extends Settings>(table: Table, environment: NodeJS.ProcessEnv): Reading<Table> {
  const faults: string[] = [];
  const values = Object.entries(table).map(([name, { form, value, default: otherwise }]) => {
    const result = value.optional().safeParse(textOf(environment, name) ?? otherwise);
    if (!result.success) faults.push(`${name}: expected ${form}`);
    return [name, result.data];
  });
  return { values: Object.fromEntries(values) as ValuesOf<Table>, faults };
}

/** What the environment has for a setting. A variable that is set to nothing counts as not set. */
export function textOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return environment[name] || undefined;
}

/** Any text. */
export function text(form: string): Form<string> {
  return { form, value: z.string() };
}

/** One of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Form<Word> {
  return { form: words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or '), value: z.enum(words) };
}

/** A whole number, from `min` to `max`. */
export function wholeNumber(min: number, max: number): Form<number> {
  return {
    form: `a whole number from ${min} to ${max}`,
    value: z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number)
      .refine((value) => value >= min && value <= max),
  };
}
