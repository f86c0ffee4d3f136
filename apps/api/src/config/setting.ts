import { printable } from '@plant-store/command-line';
import { z } from 'zod';
import type { StoreLimits } from '../stores/index.ts';

/** An environment variable that configures the service. */
export interface Setting<Value = unknown> extends Form<Value> {
  /** What it sets, for the operator. */
  readonly meaning: string;
  /** Its default, as an operator would write it. */
  readonly default?: string;
  /** The default as documented, if it depends on the machine or «unset» has a meaning of its own. */
  readonly unset?: string;
  /** Removes secrets from a value before it is shown. */
  readonly masked?: (text: string) => string;
  /** The member of the configuration that has its value as it is. */
  readonly option?: string;
  /** The limit of the store that it sets; the adapter has the default. */
  readonly storeLimit?: keyof StoreLimits;
}

/** How a setting is written. */
export interface Form<Value> {
  /** Completes the message «expected …». */
  readonly form: string;
  /** Parses it. Its own messages are not used. */
  readonly value: z.ZodType<Value, string>;
}

/** Settings by name. */
export type Settings = Readonly<Record<string, Setting>>;

/** The values of settings; undefined if not set and without a default. */
export type ValuesOf<Table extends Settings> = {
  readonly [Name in keyof Table]:
    | z.output<Table[Name]['value']>
    | (Table[Name] extends WithDefault ? never : undefined);
};

/** The values of the settings with an `option`, or with a `storeLimit`, by that name; absent if not set. */
export type OptionsOf<Table extends Settings, Kind extends 'option' | 'storeLimit' = 'option'> = {
  readonly [Name in keyof Table as Table[Name] extends WithDefault ? NameIn<Table[Name], Kind> : never]: z.output<
    Table[Name]['value']
  >;
} & {
  readonly [Name in keyof Table as Table[Name] extends WithDefault ? never : NameIn<Table[Name], Kind>]?: z.output<
    Table[Name]['value']
  >;
};

type NameIn<Row, Kind extends string> = Row extends Readonly<Record<Kind, infer Name extends string>> ? Name : never;

interface WithDefault {
  readonly default: string;
}

/** The values of the settings, undefined if faulty. Messages say what was given, unless it may be a secret. */
export interface Reading<Table extends Settings> {
  readonly values: ValuesOf<Table>;
  readonly faults: readonly string[];
}

/** Reads settings from the environment. */
export function readSettings<Table extends Settings>(table: Table, environment: NodeJS.ProcessEnv): Reading<Table> {
  const faults: string[] = [];
  const values = Object.entries(table).map(([name, setting]) => {
    const given = textOf(environment, name);
    const result = setting.value.optional().safeParse(given ?? setting.default);
    if (!result.success) faults.push(`${name}: expected ${setting.form}${gotOf(setting, given)}`);
    return [name, result.data];
  });
  return { values: Object.fromEntries(values) as ValuesOf<Table>, faults };
}

/** What was given: a secret never, and of a long text the beginning. */
function gotOf({ masked }: Setting, given: string | undefined): string {
  if (masked || given === undefined) return '';
  return `; got ${printable(JSON.stringify(given.slice(0, MAX_SHOWN)))}`;
}

const MAX_SHOWN = 60;

/** The values of the settings with an `option`, or with a `storeLimit`. */
export function optionsOf<Table extends Settings, Kind extends 'option' | 'storeLimit' = 'option'>(
  table: Table,
  values: ValuesOf<Table>,
  kind: Kind = 'option' as Kind,
): OptionsOf<Table, Kind> {
  const options = Object.entries(table).map(([name, { [kind]: option }]) => [option, values[name]]);
  return Object.fromEntries(options.filter(([option, value]) => option !== undefined && value !== undefined));
}

/** The value of a variable. An empty one counts as not set. */
export function textOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return environment[name] || undefined;
}

/** Any string. */
export function text(form: string): Form<string> {
  return { form, value: z.string() };
}

/** One of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Form<Word> {
  return { form: words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or '), value: z.enum(words) };
}

/** An integer from `min` to `max`, both included. */
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
