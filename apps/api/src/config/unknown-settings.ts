/** Read by other commands, or by no setting of the table although it looks like one. */
const OTHERS: readonly string[] = ['API_TOKEN'];

/**
 * Warnings of variables that look like settings and are none: their names begin as those of several settings do, or are
 * nearly those of one. Of `OTEL_` there are more than this service documents. Values are not shown.
 */
export function unknownSettings(environment: NodeJS.ProcessEnv, names: readonly string[]): readonly string[] {
  const prefixes = names.map((name) => name.slice(0, name.indexOf('_') + 1));
  const known = prefixes.filter((each, at) => each && each !== 'OTEL_' && prefixes.indexOf(each) !== at);
  return Object.keys(environment).flatMap((given) => {
    if (!environment[given] || names.includes(given) || OTHERS.includes(given)) return [];
    const near = names.find((name) => distance(given, name) <= (name.length > 5 ? 2 : 1));
    if (!near && !known.some((prefix) => given.startsWith(prefix))) return [];
    return [
      `${given}: unknown setting, ignored; ${near ? `did you mean ${near}?` : 'see plant-store help environment'}`,
    ];
  });
}

/** How many letters have to be changed, added, removed or swapped with the next one; 3 stands for more. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        (rows[i - 1]?.[j] ?? 3) + 1,
        (row[j - 1] ?? 3) + 1,
        (rows[i - 1]?.[j - 1] ?? 3) + (one[i - 1] === other[j - 1] ? 0 : 1),
        swapped ? (rows[i - 2]?.[j - 2] ?? 3) + 1 : 3,
      );
    }
    rows.push(row);
  }
  return rows[one.length]?.[other.length] ?? 3;
}
