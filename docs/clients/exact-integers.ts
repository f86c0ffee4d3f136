// It needs Node 22 or a browser that has JSON.rawJSON, which is newer than the libraries that come with TypeScript.
declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

export const exactIntegers = (body: unknown) =>
  JSON.stringify(body, (_name, value: unknown) => (typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value));

/** For clients without such an option: makes every `JSON.stringify` exact. */
export const makeBigIntsExact = () => {
  Object.assign(BigInt.prototype, {
    toJSON(this: bigint) {
      return JSON.rawJSON(this.toString());
    },
  });
};
