import { distance } from 'fastest-levenshtein';

/** They look like settings. Other commands read the first; npx and npm set the second for what they start. */
const OTHERS: readonly string[] = ['API_TOKEN', 'NODE'];

/**
 * Warnings of variables that look like settings and are none: their names begin as those of several settings do, or are
 * nearly those of one. Of `OTEL_` there are more than this service documents. Values are not shown.
 */
export function unknownSettings(environment: NodeJS.ProcessEnv, names: readonly string[]): readonly string[] {
  const prefixes = names.map((name) => name.slice(0, name.indexOf('_') + 1));
  const known = prefixes.filter((each, at) => each && each !== 'OTEL_' && prefixes.indexOf(each) !== at);
  return Object.keys(environment).flatMap((given) => {
    if (!environment[given] || names.includes(given) || OTHERS.includes(given)) return [];
    const near = names.find((name) => isNear(given, name) || name.startsWith(`${given}_`));
    if (!near && !known.some((prefix) => given.startsWith(prefix))) return [];
    return [
      `${given}: unknown setting, ignored; ${near ? `did you mean ${near}?` : 'see plant-store help environment'}`,
    ];
  });
}

/** One letter may differ, or two in a longer name; or some of them change places. */
function isNear(given: string, name: string): boolean {
  return distance(given, name) <= (name.length > 5 ? 2 : 1) || sorted(given) === sorted(name);
}

function sorted(text: string): string {
  return [...text].sort().join('');
}
