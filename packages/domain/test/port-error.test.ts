import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as domain from '@plant-store/domain';
import { afterAll, expect, test } from 'vitest';

const { PlantRefused, StoreMisconfigured, StoreOverloaded, StoreUnavailable, VerifierUnavailable } = domain;

/** Another copy of the package, as an adapter may have one. */
const directory = mkdtempSync(join(tmpdir(), 'plant-store-domain-'));
cpSync(join(import.meta.dirname, '../src'), directory, { recursive: true });
afterAll(() => rmSync(directory, { recursive: true }));
const copy: typeof domain = await import(join(directory, 'index.ts'));

test.each([
  ['StoreUnavailable', [StoreUnavailable]],
  ['StoreMisconfigured', [StoreUnavailable, StoreMisconfigured]],
  ['StoreOverloaded', [StoreUnavailable, StoreOverloaded]],
  ['PlantRefused', [PlantRefused]],
  ['VerifierUnavailable', [VerifierUnavailable]],
] as const)('%s of another copy is recognized by its code, and has its own name', (name, kinds) => {
  const error = new copy[name]('why');
  for (const kind of kinds) expect(error instanceof kind).toBe(false);
  const all = [StoreUnavailable, StoreMisconfigured, StoreOverloaded, PlantRefused, VerifierUnavailable];
  expect(all.filter((kind) => kind.is(error))).toEqual(kinds);
  expect([error.name, error.message]).toEqual([name, 'why']);
});

test('an error that is newer than this copy is of the more general kind', () => {
  const newer = Object.assign(new Error(), { code: 'ERR_STORE_UNAVAILABLE_FOR_MAINTENANCE' });
  expect([StoreUnavailable.is(newer), StoreOverloaded.is(newer)]).toEqual([true, false]);
});

test.each([undefined, null, 'ERR_STORE_UNAVAILABLE', new Error(), { code: 7 }, { code: 'ERR_STORE_UNAVAILABLES' }])(
  '%o is no error of a port',
  (thrown) => {
    expect(StoreUnavailable.is(thrown)).toBe(false);
  },
);
