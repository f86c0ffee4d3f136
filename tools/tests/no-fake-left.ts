import { afterAll, expect } from 'vitest';

/** What tests replace: [where, names]. */
const replaced = [
  [globalThis, ['setTimeout', 'clearTimeout', 'setInterval', 'setImmediate', 'fetch', 'Date']],
  [performance, ['now']],
  [Math, ['random']],
] as const;

/** As it was before the first file of this worker. */
const holder = globalThis as unknown as Record<symbol, ReturnType<typeof current>>;
const key = Symbol.for('plant-store: what tests replace');
holder[key] ??= current();
const real = holder[key];

// A worker takes one file after another: where a fake clock stays, a test of another package waits for ever. So it is put
// back, and the file that left it fails alone.
afterAll(() => {
  const left = current().filter(({ value }, at) => value !== real[at]?.value);
  for (const { owner, name } of real) if (left.some((each) => each.name === name)) restore(owner, name);
  expect(left.map(({ name }) => name)).toEqual([]);
});

function restore(owner: object, name: string): void {
  const before = real.find((each) => each.owner === owner && each.name === name);
  // A method that is inherited has no property of its own.
  if (before?.own) Object.defineProperty(owner, name, before.own);
  else Reflect.deleteProperty(owner, name);
}

function current() {
  return replaced.flatMap(([owner, names]) =>
    names.map((name: string) => ({
      owner,
      name,
      value: Reflect.get(owner, name) as unknown,
      own: Object.getOwnPropertyDescriptor(owner, name),
    })),
  );
}
