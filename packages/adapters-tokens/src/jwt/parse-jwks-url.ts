/**
 * Parses the URL of a key set. It must use https, because keys that are changed in transit would allow forged tokens. http is
 * allowed on this machine (`localhost`, 127.0.0.0/8, `[::1]`). A user and password are rejected, because they would be logged
 * and fetch rejects them.
 *
 * @throws {RangeError} with the expected form. The message does not contain the URL.
 */
export function parseJwksUrl(text: string): URL {
  const url = URL.parse(text);
  // Anchored, because anybody may own 127.0.0.1.example.com.
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
  if (url && safe && url.username === '' && url.password === '') return url;
  throw new RangeError(
    'expected https://… without a user and a password, or http://… on this machine (localhost, 127.0.0.1, [::1])',
  );
}
