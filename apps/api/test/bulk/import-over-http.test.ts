import { StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOverHttp } from '../../src/bulk/import/create-over-http.ts';
import { IncompleteError } from '../../src/errors.ts';

test.each([
  ['ENOTFOUND', IncompleteError, 'check the host name'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', IncompleteError, 'pass --url with http://'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', IncompleteError, 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', IncompleteError, 'the certificate of https://host'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', IncompleteError, 'use the host name of the certificate in --url'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', IncompleteError, 'NODE_EXTRA_CA_CERTS'],
  ['ECONNREFUSED', StoreUnavailable, 'is unreachable'],
  ['EAI_AGAIN', StoreUnavailable, 'is unreachable'],
  ['ECONNRESET', StoreUnavailable, 'is unreachable'],
])('whether waiting for a service helps: %s', async (code, Failure, message) => {
  // As fetch fails: what went wrong is its cause.
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('of the network'), { code }) });
  const fetching = vi.spyOn(globalThis, 'fetch').mockRejectedValue(cause);
  onTestFinished(() => fetching.mockRestore());
  const error = await createOverHttp('https://host', 'token')({ id: 1n, name: 'Fern' }).catch((error) => error);
  expect(error).toBeInstanceOf(Failure);
  expect(String(error)).toContain('https://host/plants');
  expect(String(error)).toContain(message);
});
