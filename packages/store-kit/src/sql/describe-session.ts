/** A session of the server, such as `pid 7`, and named attributes such as its user. A column is null if it is not visible. */
export type SessionRow = { readonly session: string | null } & { readonly [column: string]: string | null };

/** Describes a session for messages; undefined if it is not visible. */
export function describeSession({ session, ...names }: SessionRow = { session: null }): string | undefined {
  if (session === null) return undefined;
  const named = Object.entries(names).map(([what, name]) => (name === null ? '' : `, ${what} ${asciiQuoted(name)}`));
  return `${session}${named.join('')}`;
}

/** Escapes control characters, because another program chose the name and it goes to logs and terminals. */
function asciiQuoted(name: string): string {
  return JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
