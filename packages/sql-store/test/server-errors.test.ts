import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { serverErrors } from '@plant-store/sql-store';
import { expect, test } from 'vitest';

const { storeUnavailable } = serverErrors({
  server: 'Server',
  codeOf: (error) => (error as { readonly code?: number }).code,
  hintFor: (error) => ((error as { readonly code?: number }).code === 7 ? 'grant rights on <table>' : undefined),
  isMisconfigured: (error) => (error as Error).message === 'no user',
});

test.each([
  [new Error('it failed'), 'Server: it failed', StoreUnavailable],
  [new Error('no user'), 'Server: no user', StoreMisconfigured],
  [Object.assign(new Error('no rights'), { code: 7 }), 'Server: no rights (7); grant rights on beds', StoreUnavailable],
  ['no Error', 'Server: no Error', StoreUnavailable],
  [new AggregateError([new Error('no user'), new Error('down')]), 'Server: no user, down', StoreUnavailable],
  [
    new AggregateError([new Error('no user'), new StoreMisconfigured('Server: no sync')]),
    'Server: no user, no sync',
    StoreMisconfigured,
  ],
])('%o: %s', (cause, message, Failure) => {
  expect(storeUnavailable(cause, 'beds')).toStrictEqual(new Failure(message, { cause }));
});

test('what is StoreUnavailable already stays what it is', () => {
  const closed = new StoreUnavailable('the store is closed');
  expect(storeUnavailable(closed)).toBe(closed);
});
