import { expect, test, vi } from 'vitest';
import { circuitBreaker } from '../src/circuit-breaker.ts';
import { ownErrors, Unavailable } from '../src/errors.ts';
import { sharedProbe } from '../src/shared-probe.ts';
import { settled, virtualPlatform } from './virtual-platform.ts';

const down = new Unavailable('down');

/** A circuit breaker over a probe that fails, and a clock that goes on when it is told to. */
function setUp() {
  const { platform, pass, timers } = virtualPlatform();
  const probe = vi.fn<() => Promise<void>>(() => Promise.reject(down));
  const shared = sharedProbe(() => probe(), platform);
  return { probe, breaker: circuitBreaker(shared, platform, ownErrors), pass, timers };
}

test('a failure opens the circuit, which is probed after pauses that grow, until a probe succeeds', async () => {
  const { probe, breaker, pass } = setUp();
  breaker.failed(down, 0);
  expect(breaker.refusal).toEqual(new Unavailable('down (circuit breaker open)'));
  // Pauses of 50, 100 and 200 ms, less up to a half.
  await pass(350);
  expect(probe.mock.calls.length).toBeGreaterThanOrEqual(3);
  probe.mockResolvedValue();
  await pass(500);
  expect(breaker.refusal).toBeUndefined();
  probe.mockClear();
  await pass(1_000);
  expect(probe).not.toHaveBeenCalled();
});

test('a circuit that opens again while a probe hangs has one probing loop', async () => {
  const hanging = Promise.withResolvers<void>();
  const { probe, breaker, pass, timers } = setUp();
  probe.mockReturnValueOnce(hanging.promise).mockReturnValue(new Promise(() => {}));
  breaker.failed(down, 0);
  await pass(6_500);
  expect(probe).toHaveBeenCalledTimes(2);
  hanging.resolve();
  await settled();
  expect(breaker.refusal).toBeUndefined();
  breaker.failed(down, 0);
  await pass(11_500);
  // It waits for the probe, or to try again.
  expect(timers).toHaveLength(1);
});
