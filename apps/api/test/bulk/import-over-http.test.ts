import { StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOverHttp } from '../../src/bulk/import/create-over-http.ts';
import { StoppedEarly } from '../../src/incomplete-error.ts';

test.each([
  ['ENOTFOUND', StoppedEarly, "check the host's name"],
  ['ERR_SSL_WRONG_VERSION_NUMBER', StoppedEarly, 'give --url with http://'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', StoppedEarly, 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', StoppedEarly, 'its certificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', StoppedEarly, 'give --url the name that its certificate is for'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', StoppedEarly, 'NODE_EXTRA_CA_CERTS'],
  ['ECONNREFUSED', StoreUnavailable, 'cannot be reached'],
  ['EAI_AGAIN', StoreUnavailable, 'cannot be reached'],
  ['ECONNRESET', StoreUnavailable, 'cannot be reached'],
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
