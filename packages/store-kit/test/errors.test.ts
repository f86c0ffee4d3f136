import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type ErrorRow, storeErrors } from '@plant-store/store-kit';
import { expect, test } from 'vitest';

/** What the engine reports; other errors have codes of the system. */
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
const { translate, isLost, isRefused, isTransient, isDoubtful } = errors;
const ofSystem = (code: string) => Object.assign(new Error('where'), { code });

test.each([
  [new Error('it failed'), 'Engine: it failed', StoreUnavailable],
  [new Reported('rights'), 'Engine: it (rights); grant rights', StoreMisconfigured],
  [new Reported('check'), 'Engine: it (check)', PlantRefused],
  [new Reported('other'), 'Engine: it (other)', StoreUnavailable],
  [
    ofSystem('CERT_HAS_EXPIRED'),
    "Engine: where (CERT_HAS_EXPIRED); renew the server's certificate",
    StoreMisconfigured,
  ],
  [ofSystem('ENOTFOUND'), "Engine: where (ENOTFOUND); check the host's name", StoreMisconfigured],
  [
    new AggregateError([ofSystem('ECONNREFUSED'), ofSystem('ENETUNREACH')]),
    'Engine: where, where; check that it runs and that host and port are right',
    StoreUnavailable,
  ],
])('%o: %s', (cause, message, Failure) => {
  expect(translate(cause)).toStrictEqual(new Failure(message, { cause }));
});

test.each([new StoreUnavailable('closed'), new TypeError('a defect'), new Reported('syntax')])(
  '%o comes back as it is',
  (error) => expect(translate(error)).toBe(error),
);

test('a question mark means that the table has to be looked at, and the plant is refused all the same', () => {
  expect([isDoubtful(new Reported('value')), isRefused(new Reported('value'))]).toEqual([true, true]);
  expect([isDoubtful(new Reported('check')), isRefused(new Reported('check'))]).toEqual([false, true]);
});

test('what nobody has reported has cost the connection, and is worth a retry, as the store throws it too', () => {
  for (const error of [new Error('reset'), translate(new Error('reset'))]) expect(isTransient(error)).toBe(true);
  expect(isLost(new Error('reset'))).toBe(true);
});
