/**
 * Reads the address of a key set. Anybody who can change the keys in transit could forge tokens, so it has to be https;
 * http is for this machine alone (`localhost`, 127.0.0.0/8, `[::1]`). It has no user and no password, which would be
 * logged, and which fetch rejects.
 *
 * @throws {RangeError} that says what is expected, without the address.
 */
export function parseJwksUrl(text: string): URL {
  const url = URL.parse(text);
  // To the end: 127.0.0.1.example.com is a name that anybody may own.
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
  if (url && safe && url.username === '' && url.password === '') return url;
  throw new RangeError(
    'expected https://… without a user and a password, or http://… on this machine (localhost, 127.0.0.1, [::1])',
  );
}
