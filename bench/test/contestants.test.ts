import { expect, test } from 'vitest';
import { contestants, withServiceOf } from '../src/contestants/contestants.ts';

test('beside each chosen service stands that of another checkout, and beside nothing else', () => {
  const chosen = contestants.filter(({ name }) => ['service-sqlite', 'node-http-echo'].includes(name));
  const names = withServiceOf('/another/checkout', chosen).map(({ name }) => name);
  expect(names).toEqual(['service-sqlite', 'other-sqlite', 'node-http-echo']);
});
