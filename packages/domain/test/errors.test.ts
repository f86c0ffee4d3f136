import { expect, test, vi } from 'vitest';
import * as domain from '../src/index.ts';

const { PlantRefused, StoreUnavailable, VerifierUnavailable } = domain;

test.each([
  ['PlantRefused', PlantRefused],
  ['StoreUnavailable', StoreUnavailable],
  ['VerifierUnavailable', VerifierUnavailable],
])('%s says its name in the log, and keeps its cause', (name, Thrown) => {
  const cause = new Error('ECONNREFUSED');
  const error = new Thrown('unreachable', { cause });
  expect(String(error)).toBe(`${name}: unreachable`);
  expect(error.cause).toBe(cause);
});

test('an error of another copy of this package is recognized as what it is there, and as nothing else', async () => {
  // An adapter that is installed apart from the service brings a copy of its own.
  vi.resetModules();
  const copy: typeof domain = await import('../src/index.ts');
  class Sharper extends StoreUnavailable {}
  const kinds = (error: unknown) =>
    Object.entries({ ...domain, Sharper }).flatMap(([name, kind]) =>
      /^(Plant|Store|Sharper)/.test(name) && error instanceof (kind as typeof Error) ? [name] : [],
    );
  expect(kinds(new copy.StoreUnavailable(''))).toEqual(['StoreUnavailable']);
  expect(kinds(new copy.StoreMisconfigured(''))).toEqual(['StoreUnavailable', 'StoreMisconfigured']);
  expect(kinds(new copy.StoreOverloaded(''))).toEqual(['StoreUnavailable', 'StoreOverloaded']);
  expect(kinds(new copy.PlantRefused(''))).toEqual(['PlantRefused']);
  expect(kinds(new Sharper(''))).toEqual(['StoreUnavailable', 'Sharper']);
  expect([new Error('StoreUnavailable'), null, undefined, 'StoreUnavailable'].flatMap(kinds)).toEqual([]);
});
