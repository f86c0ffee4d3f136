/**
 * Another session of the server: what the server calls it, such as `pid 7`, and by their column names what else there is to
 * see of it, such as its user. Each is null if it is not to be seen.
 */
export type SessionRow = { readonly session: string | null } & { readonly [column: string]: string | null };

/** It in words; undefined if nothing is to be seen. */
export function sessionIn({ session, ...names }: SessionRow = { session: null }): string | undefined {
  if (session === null) return undefined;
  const named = Object.entries(names).map(([what, name]) => (name === null ? '' : `, ${what} ${asciiQuoted(name)}`));
  return `${session}${named.join('')}`;
}

/** A name as JSON in ASCII: whoever has the session chose it, and it goes to logs and terminals. */
function asciiQuoted(name: string): string {
  return JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
