// It is newer than the libraries that come with TypeScript.
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** JSON.stringify, but with each bigint as an exact number. Also a `bodySerializer` for generated clients. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, member) => (typeof member === 'bigint' ? rawJSON(`${member}`) : member));
}
