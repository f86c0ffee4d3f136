import { expect, test } from 'vitest';
import { PlantRefused, StoreUnavailable, VerifierUnavailable } from '../src/index.ts';

test('an error says its name in the log', () => {
  for (const Thrown of [PlantRefused, StoreUnavailable, VerifierUnavailable])
    expect(String(new Thrown('unreachable'))).toBe(`${Thrown.name}: unreachable`);
});
