import { settings } from './settings.ts';

/** Former settings that share no first word with a current one. */
const RETIRED: readonly string[] = ['WORKERS'];

/** Variables that look like settings: one that `verify` reads, and Node's. */
const NOT_SETTINGS = /^(API_TOKEN$|NODE_)/;

/** Warns about variables that start with the first word of a setting, such as `DATABASE_`, but are unknown. Hides their values. */
export function unknownSettings(environment: NodeJS.ProcessEnv): readonly string[] {
  const names = Object.keys(settings.shape);
  const firstWords = names.map((name) => name.slice(0, name.indexOf('_') + 1)).filter(Boolean);
  return Object.keys(environment)
    .filter((given) => environment[given] && !names.includes(given) && !NOT_SETTINGS.test(given))
    .filter((given) => RETIRED.includes(given) || firstWords.some((word) => given.startsWith(word)))
    .map((given) => `${given}: unknown setting, ignored; see plant-store help environment`);
}
