/** Newer than the TypeScript libraries: Node 22, Chrome 114, Firefox 135, Safari 18.4. */
declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** A body as JSON, with every bigint as the integer that it is: JSON.stringify alone has no way to write one. */
export function exactIntegers(body: unknown): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value,
  );
}
