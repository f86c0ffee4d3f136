import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { type CircuitBreaker, circuitBreaker } from '../src/circuit-breaker.ts';
import { Misconfigured, ownErrors, Unavailable } from '../src/errors.ts';
import { processPlatform } from '../src/platform.ts';
import { sharedProbe } from '../src/shared-probe.ts';

const down = () => Promise.reject(new Unavailable('down'));
const up = () => Promise.resolve('done');
const never = () => new Promise<never>(() => {});
const ended: (() => void)[] = [];

afterEach(() => {
  for (const end of ended.splice(0)) end();
});

test('work that fails opens the circuit: other work is refused at once, with the reason, until a probe succeeds', async () => {
  const server = { probe: vi.fn<() => Promise<void>>(down) };
  const breaker = breakerOver(() => server.probe());
  await expect(guard(breaker, down)).rejects.toThrow(/^down$/);
  const work = vi.fn<() => Promise<string>>(up);
  await expect(guard(breaker, work)).rejects.toThrow(new Unavailable('down (circuit breaker open)'));
  await vi.waitFor(() => expect(server.probe).toHaveBeenCalledTimes(3));
  await expect(guard(breaker, work)).rejects.toThrow(Unavailable);
  expect(work).not.toHaveBeenCalled();
  server.probe.mockResolvedValue();
  await vi.waitFor(async () => expect(await guard(breaker, work)).toBe('done'));
  const probes = server.probe.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(server.probe).toHaveBeenCalledTimes(probes);
});

test.each([Unavailable, Misconfigured])('what refuses work is of the class of the failure: %o', async (Failure) => {
  const breaker = breakerOver(never);
  await guard(breaker, () => Promise.reject(new Failure('down'))).catch(() => {});
  expect(breaker.refusal).toStrictEqual(new Failure('down (circuit breaker open)'));
});

test('the state is reported at first and when it changes', async () => {
  const server = { probe: vi.fn<() => Promise<void>>(down) };
  const states: string[] = [];
  const breaker = circuitBreaker(
    () => server.probe(),
    processPlatform,
    ownErrors,
    (state) => states.push(state),
  );
  ended.push(breaker.end);
  expect(states).toEqual(['closed']);
  await Promise.allSettled([guard(breaker, down), guard(breaker, down), guard(breaker, up)]);
  await vi.waitFor(() => expect(server.probe).toHaveBeenCalledTimes(2));
  expect(states).toEqual(['closed', 'open']);
  server.probe.mockResolvedValue();
  await vi.waitFor(async () => expect(await guard(breaker, up)).toBe('done'));
  breaker.close();
  expect(states).toEqual(['closed', 'open', 'closed']);
});

test('a circuit that is closed before the first probe is not probed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const probe = vi.fn<() => Promise<void>>(down);
  const breaker = breakerOver(probe);
  await guard(breaker, down).catch(() => {});
  breaker.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(probe).not.toHaveBeenCalled();
});

test('a probe that hangs delays the next one, and closes the circuit when it succeeds', async () => {
  const answer = Promise.withResolvers<void>();
  const probe = vi.fn<() => Promise<void>>(() => answer.promise);
  const breaker = breakerOver(probe);
  await Promise.allSettled([guard(breaker, down), guard(breaker, down)]);
  await vi.waitFor(() => expect(probe).toHaveBeenCalled());
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(probe).toHaveBeenCalledTimes(1);
  answer.resolve();
  await vi.waitFor(async () => expect(await guard(breaker, up)).toBe('done'));
});

test('work that fails after the end opens no circuit', async () => {
  const probe = vi.fn<() => Promise<void>>(down);
  const breaker = breakerOver(probe);
  const late = Promise.withResolvers<never>();
  const work = guard(breaker, () => late.promise);
  breaker.end();
  late.reject(new Unavailable('late'));
  await expect(work).rejects.toThrow('late');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(probe).not.toHaveBeenCalled();
});

test('a circuit that opens again while a probe hangs has one probing loop', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const hanging = Promise.withResolvers<void>();
  const probe = vi.fn<() => Promise<void>>().mockReturnValueOnce(hanging.promise).mockImplementation(never);
  const breaker = breakerOver(probe);
  await guard(breaker, down).catch(() => {});
  await vi.advanceTimersByTimeAsync(6_500);
  expect(probe).toHaveBeenCalledTimes(2);
  hanging.resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect(await guard(breaker, up)).toBe('done');
  await guard(breaker, down).catch(() => {});
  await vi.advanceTimersByTimeAsync(11_500);
  // One every 5 s, and not two.
  expect(probe.mock.calls.length).toBeLessThanOrEqual(4);
});

test('work that is stuck while other work succeeds does not open the circuit', async () => {
  const breaker = breakerOver(never);
  const stuck = Promise.withResolvers<never>();
  const late = guard(breaker, () => stuck.promise);
  await guard(breaker, up);
  stuck.reject(new Unavailable('late'));
  await expect(late).rejects.toThrow('late');
  expect(await guard(breaker, up)).toBe('done');
  expect(breaker.successes).toBe(2);
});

test('work that fails with any other error does not open the circuit', async () => {
  const breaker = breakerOver(never);
  await expect(guard(breaker, () => Promise.reject(new RangeError('its own')))).rejects.toThrow('its own');
  expect(await guard(breaker, up)).toBe('done');
});

function breakerOver(probe: () => Promise<void>) {
  const breaker = circuitBreaker(sharedProbe(probe, processPlatform), processPlatform, ownErrors);
  ended.push(breaker.end);
  return breaker;
}

/** Work that a breaker guards, as a store does it. */
async function guard<T>(breaker: CircuitBreaker, work: () => Promise<T>): Promise<T> {
  const { refusal, successes } = breaker;
  if (refusal) throw refusal;
  try {
    const result = await work();
    breaker.succeeded();
    return result;
  } catch (error) {
    if (error instanceof Unavailable) breaker.failed(error, successes);
    throw error;
  }
}
