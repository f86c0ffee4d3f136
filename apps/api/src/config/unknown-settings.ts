import { settings } from './settings.ts';

/** It looks like a setting: `verify` reads it. */
const OTHERS: readonly string[] = ['API_TOKEN'];

/** Warnings of variables that begin like several settings and are none. Values are not shown. */
export function unknownSettings(environment: NodeJS.ProcessEnv): readonly string[] {
  const names = Object.keys(settings.shape);
  const prefixes = names.map((name) => name.slice(0, name.indexOf('_') + 1));
  const known = prefixes.filter((each, at) => each && prefixes.indexOf(each) !== at);
  return Object.keys(environment)
    .filter((given) => environment[given] && !names.includes(given) && !OTHERS.includes(given))
    .filter((given) => known.some((prefix) => given.startsWith(prefix)))
    .map((given) => `${given}: unknown setting, ignored; see plant-store help environment`);
}
