export function notImplemented(what: string): Error {
  return new Error(`packages/testing-new-engine/src does not implement ${what}`);
}
