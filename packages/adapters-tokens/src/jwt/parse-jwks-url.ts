import { BlockList, isIPv4 } from 'node:net';

/**
 * Reads the address of a key set. Whoever can change the keys on their way can let anybody in, so it has to be https;
 * http is for this machine alone (`localhost`, 127.0.0.0/8, `[::1]`). It holds no user and no password, which would end
 * up in logs, and which fetch refuses.
 *
 * @throws {RangeError} saying what is expected, without the address.
 */
export function parseJwksUrl(text: string): URL {
  const url = URL.parse(text);
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url && safe && url.username === '' && url.password === '') return url;
  throw new RangeError(
    'expected https://… without a user and a password, or http://… on this machine (localhost, 127.0.0.1, [::1])',
  );
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');

function isLoopback(hostname: string): boolean {
  // Not by its beginning: 127.0.0.1.example.com is a name that anybody may own.
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && loopback.check(hostname));
}
