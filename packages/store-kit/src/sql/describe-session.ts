/**
 * A session of the server, such as `pid 7`, or something else that holds locks, and named attributes such as its user. A column is null
 * if it is not visible.
 */
export type SessionRow = { readonly session: string | null } & { readonly [column: string]: string | null };

/** Describes a session for messages; undefined if it is not visible. */
export function describeSession({ session, ...names }: SessionRow = { session: null }): string | undefined {
  if (session === null) return undefined;
  const named = Object.entries(names).map(([what, name]) => (name === null ? '' : `, ${what} ${JSON.stringify(name)}`));
  return escaped(`${session}${named.join('')}`);
}

/** Escapes other characters than those of ASCII, because other programs chose the names, which go to logs and terminals. */
const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
