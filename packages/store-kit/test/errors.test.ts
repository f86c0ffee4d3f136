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
  shutdown: ['lost'],
  deadlock: ['transient'],
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
  [new Reported('value'), 'Engine: it (value)', PlantRefused],
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

test.each([
  new StoreUnavailable('closed'),
  new PlantRefused('no'),
  new TypeError('a defect'),
  new Reported('syntax'),
  'no Error',
])('%o comes back as it is', (error) => expect(translate(error)).toBe(error));

test.each([
  ['not reported', new Error('reset'), 'lost', 'transient'],
  ['of a connection that ends', new Reported('shutdown'), 'lost', 'transient'],
  ['of a deadlock', new Reported('deadlock'), 'transient'],
  ['of a constraint', new Reported('check'), 'refused'],
  ['of a value, or of its column', new Reported('value'), 'refused', 'doubtful'],
  ['of the SQL', new Reported('syntax'), 'doubtful'],
  ['of no row', new Reported('other')],
  ['of the store itself', new StoreUnavailable('closed')],
])('an error that is %s', (_, error, ...expected) => {
  const found = {
    lost: isLost(error),
    transient: isTransient(error),
    refused: isRefused(error),
    doubtful: isDoubtful(error),
  };
  expect(Object.entries(found).flatMap(([name, is]) => (is ? [name] : []))).toEqual(expected);
  // As the store throws it.
  expect(isTransient(translate(error))).toBe(expected.includes('transient'));
});

test('what an error may show of a plant is removed before it becomes a cause', () => {
  const hiding = storeErrors(
    'Engine',
    () => ['unavailable'],
    ({ message }) => new Error(message),
  );
  const { cause } = hiding.translate(Object.assign(new Error('it'), { row: 'Fern' })) as Error;
  expect(cause).not.toHaveProperty('row');
});
