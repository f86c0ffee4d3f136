import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type ErrorRow, storeErrors } from '@plant-store/store-kit';
import { expect, test } from 'vitest';

/** An error that the engine reports. Other errors have system codes. */
class Reported extends Error {
  code: string;
  constructor(code: string) {
    super('it');
    this.code = code;
  }
}

const rows: Readonly<Record<string, ErrorRow>> = {
  rights: ['misconfigured', 'grant rights'],
  check: ['refused'],
  value: ['refused?'],
  syntax: ['defect?'],
};
const errors = storeErrors('Engine', (error) =>
  error instanceof Reported ? (rows[error.code] ?? ['unavailable']) : undefined,
);
const { translate, isConnectionLost, isRefused, isTransient, mayBeCausedByTable } = errors;
const systemError = (code: string) => Object.assign(new Error('where'), { code });

test.each([
  [new Error('it failed'), 'Engine: it failed', StoreUnavailable],
  [new Reported('rights'), 'Engine: it (rights); grant rights', StoreMisconfigured],
  [new Reported('check'), 'Engine: it (check)', PlantRefused],
  [new Reported('other'), 'Engine: it (other)', StoreUnavailable],
  [
    systemError('CERT_HAS_EXPIRED'),
    "Engine: where (CERT_HAS_EXPIRED); renew the server's certificate",
    StoreMisconfigured,
  ],
  [systemError('ENOTFOUND'), "Engine: where (ENOTFOUND); check the host's name", StoreMisconfigured],
  [
    new AggregateError([systemError('ECONNREFUSED'), systemError('ENETUNREACH')]),
    'Engine: where, where; check that it runs and that host and port are right',
    StoreUnavailable,
  ],
])('%o: %s', (cause, message, Failure) => {
  expect(translate(cause)).toStrictEqual(new Failure(message, { cause }));
});

test.each([new StoreUnavailable('closed'), new TypeError('a defect'), new Reported('syntax')])(
  '%o is returned unchanged',
  (error) => expect(translate(error)).toBe(error),
);

test('a question mark means that the table may be the cause, and does not change the meaning', () => {
  expect([mayBeCausedByTable(new Reported('value')), isRefused(new Reported('value'))]).toEqual([true, true]);
  expect([mayBeCausedByTable(new Reported('check')), isRefused(new Reported('check'))]).toEqual([false, true]);
});

test('an error that the engine did not report is a lost connection and transient, also after its translation', () => {
  for (const error of [new Error('reset'), translate(new Error('reset'))]) expect(isTransient(error)).toBe(true);
  expect(isConnectionLost(new Error('reset'))).toBe(true);
});
