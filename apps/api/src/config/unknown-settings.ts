import { settings } from './settings.ts';

/** A former setting. */
const RETIRED: readonly string[] = ['WORKERS'];

/** They begin like a setting: one that `verify` reads, and those of Node. */
const OTHERS = /^(API_TOKEN$|NODE_)/;

/** Warnings of variables that begin with the first word of a setting, such as `DATABASE_`, and are none. Values are not shown. */
export function unknownSettings(environment: NodeJS.ProcessEnv): readonly string[] {
  const names = Object.keys(settings.shape);
  const firstWords = names.map((name) => name.slice(0, name.indexOf('_') + 1)).filter(Boolean);
  return Object.keys(environment)
    .filter((given) => environment[given] && !names.includes(given) && !OTHERS.test(given))
    .filter((given) => RETIRED.includes(given) || firstWords.some((word) => given.startsWith(word)))
    .map((given) => `${given}: unknown setting, ignored; see plant-store help environment`);
}
