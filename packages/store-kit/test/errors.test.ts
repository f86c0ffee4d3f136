import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { storeErrors } from '@plant-store/store-kit';
import { expect, test } from 'vitest';

const { translate, classify, isTableMissing } = storeErrors('Server', (error) => {
  if (String(error).includes('no table')) return ['missing'];
  return String(error).includes('no ferns') ? ['refused', 'plant moss'] : undefined;
});

const system = (code: string) => Object.assign(new Error('of a test'), { code });

test.each<[error: Error, Port: abstract new (message: string) => Error, failure: string, message: string]>([
  [new Error('no ferns'), PlantRefused, 'refused', 'Server: no ferns; plant moss'],
  [new Error('no table'), StoreUnavailable, 'other', 'run the migrations'],
  [new Error('the connection has ended'), StoreUnavailable, 'transient', 'has ended'],
  [system('ECONNREFUSED'), StoreUnavailable, 'transient', 'Server: of a test (ECONNREFUSED); check that it runs'],
  [new AggregateError([system('ENOTFOUND'), system('ECONNREFUSED')]), StoreMisconfigured, 'other', "host's name"],
  [system('CERT_HAS_EXPIRED'), StoreMisconfigured, 'other', "check the server's certificate"],
  [new TypeError('x is not a function'), TypeError, 'other', 'x is not a function'],
  [new RangeError('of a bug'), RangeError, 'other', 'of a bug'],
  [new TypeError('fetch failed', { cause: system('ECONNRESET') }), StoreUnavailable, 'transient', 'fetch failed'],
  [new StoreUnavailable('late'), StoreUnavailable, 'other', 'late'],
])('%o becomes %o', (error, Port, failure, message) => {
  const translated = translate(error);
  expect(translated.constructor).toBe(Port);
  expect(translated.message).toContain(message);
  expect([classify(error), classify(translated)]).toEqual([failure, failure]);
  expect(isTableMissing(translated)).toBe(message === 'run the migrations');
});
