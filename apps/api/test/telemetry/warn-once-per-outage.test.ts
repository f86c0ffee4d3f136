import { expect, test, vi } from 'vitest';
import { warnOncePerOutage } from '../../src/telemetry/warn-once-per-outage.ts';

test('each outage is one warning', () => {
  const results = [0, 1, 1, 1, 0, 1, 0];
  const exporter = {
    export(_items: string, done: (result: { code: number; error?: Error }) => void): void {
      const code = results.shift() ?? 0;
      done(code === 0 ? { code } : { code, error: new Error(`refused, ${results.length} to come`) });
    },
  };
  const warn = vi.fn();
  warnOncePerOutage(exporter, warn);
  const done = vi.fn();
  while (results.length > 0) exporter.export('items', done);
  expect(warn.mock.calls).toEqual([['refused, 5 to come'], ['refused, 1 to come']]);
  // OpenTelemetry would report each failure itself.
  expect(done.mock.calls).toEqual(Array.from({ length: 7 }, () => [{ code: 0 }]));
});

test('a failure without a reason is a warning, too', () => {
  const exporter = { export: (_items: string, done: (result: { code: number }) => void) => done({ code: 1 }) };
  const warn = vi.fn();
  warnOncePerOutage(exporter, warn);
  exporter.export('items', () => {});
  expect(warn.mock.calls).toEqual([['the receiver rejected the data']]);
});
