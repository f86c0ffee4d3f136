import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { serverErrors } from '@plant-store/sql-store';
import { expect, test } from 'vitest';

/** What the server reports; other errors have codes of the system. */
class Reported extends Error {}
const reported = (code: number) => Object.assign(new Reported('it'), { code });
const codeOf = (error: unknown) => (error as { readonly code?: number | string }).code;

const errors = serverErrors({
  server: 'Server',
  isReported: (error) => error instanceof Reported,
  codesOf: (error) => [codeOf(error), Math.floor(Number(codeOf(error)) / 10)],
  rows: [
    { codes: [7], hint: 'grant rights on <table>' },
    { codes: ['no user'], means: 'misconfigured', hint: 'make one' },
    { codes: [4, 10], means: 'lost' },
    { codes: [20], means: 'transient' },
    { codes: [3, 4], means: 'refused' },
  ],
});
const { storeUnavailable, isConnectionError, isTransient, refusesPlant, plantRefused } = errors;
const noUser = Object.assign(new Error('who'), { code: 'no user' });

test.each([
  [new Error('it failed'), 'Server: it failed', StoreUnavailable],
  [noUser, 'Server: who (no user); make one', StoreMisconfigured],
  [
    Object.assign(new Error('where'), { code: 'ENOTFOUND' }),
    "Server: where (ENOTFOUND); check the host's name",
    StoreMisconfigured,
  ],
  [Object.assign(new Error('no rights'), { code: 7 }), 'Server: no rights (7); grant rights on beds', StoreUnavailable],
  ['no Error', 'Server: no Error', StoreUnavailable],
  [new AggregateError([new Error('down'), noUser]), 'Server: down, who; make one', StoreUnavailable],
  [
    new AggregateError([noUser, new StoreMisconfigured('Server: no sync')]),
    'Server: who, no sync; make one',
    StoreMisconfigured,
  ],
])('%o: %s', (cause, message, Failure) => {
  expect(storeUnavailable(cause, 'beds')).toStrictEqual(new Failure(message, { cause }));
});

test('what is StoreUnavailable already stays what it is', () => {
  const closed = new StoreUnavailable('the store is closed');
  expect(storeUnavailable(closed)).toBe(closed);
});

const misconfigured = new StoreMisconfigured('a setting');
test.each([
  ['not reported', new Error('reset'), true, true, false],
  ['of a class that is lost', reported(105), true, true, false],
  ['refused, though the connection is lost', reported(4), true, false, true],
  ['transient', reported(20), false, true, false],
  ['refused', reported(3), false, false, true],
  ['of no row', reported(9), false, false, false],
  [
    'of several hosts, one that may come back',
    new AggregateError([misconfigured, new Error('down')]),
    true,
    true,
    false,
  ],
  ['of several hosts, none that may', new AggregateError([misconfigured, misconfigured]), true, false, false],
  ['a refusal', plantRefused(reported(3)), true, false, false],
])('an error that is %s: lost %s', (_, error, isLost, isRetried, isRefused) => {
  expect([isConnectionError(error), isTransient(error), refusesPlant(error)]).toEqual([isLost, isRetried, isRefused]);
  // As the store throws it.
  if (!isRefused && !(error instanceof PlantRefused)) expect(isTransient(storeUnavailable(error))).toBe(isRetried);
});
