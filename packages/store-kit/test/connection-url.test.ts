import { StoreMisconfigured } from '@plant-store/domain';
import { isThisMachine, readUrl } from '@plant-store/store-kit/connection-url';
import { expect, test } from 'vitest';

const known = { mode: ['ON', 'OFF'], file: undefined, host: undefined, user: undefined, password: undefined };
const read = (url: string) => readUrl('x', url, known);

const names = Object.keys(known).join(', ');
const ambiguous = 'it has a character that drivers read in different ways';
const hosts = 'it names several hosts; name one: a proxy, or a virtual address, that leads to the one that writes';

test.each([
  ['x://me:hunter2@h/d?mdoe=ON', `parameter 1 of 1 is unknown: remove it; expected ${names}`],
  ['x://me:hunter2@h/d?pgbouncer=true', `pgbouncer is unknown: remove it; expected ${names}`],
  ['x://me:hunter2@h/d?file=', 'file is empty: give it a value or remove it'],
  ['x://me:hunter2@h/d?file=a&file=a', 'file is given twice: keep one'],
  ['x://me:hunter2@h/d?mode=on', 'mode: expected ON or OFF'],
  ['me:hunter2@h/d', ambiguous],
  ['x://me:hunter2@:5/d', 'Invalid URL'],
  ['x://me:hun ter2@h/d', ambiguous],
  ['x://me:hun\tter2@h/d', ambiguous],
  ['x://me:hun#ter2@h/d', ambiguous],
  ['x://me:hunter2%@h/d', ambiguous],
  ['x://me:hun%E9ter2@h/d', 'Invalid URL'],
  ['x://me@h/d?password=hun%E9ter2', 'Invalid URL'],
  ['x://me:hun/ter2@h/d', ambiguous],
  ['x://me@h/d?password=hun+ter2', ambiguous],
  ['x://me:hunter2@a,b:5/d', hosts],
  ['x:///d?mode=ON&host=a%2Cb', hosts],
])('%j is refused, without a part of the password: %s', (url, reason) => {
  const error = `the connection string cannot be used (${reason}): give x://user:password@host:port/database, with special characters percent-encoded`;
  expect(() => read(url)).toThrow(new StoreMisconfigured(error));
  expect(error).not.toMatch(/hun|ter2/);
});

test.each([
  ['x://me:a:b@[::1]:5/d?file=c@d', '[::1]', '/d', { file: 'c@d' }],
  ['x://h/d?file=a@b&host=/run/x', 'h', '/d', { file: 'a@b', host: '/run/x' }],
  ['x://me:a@/d?mode=ON&file=%20', '', '/d', { mode: 'ON', file: ' ' }],
  ['x://me@%2Frun%2Fx/d', '%2Frun%2Fx', '/d', {}],
  ['x://me@h/d?file=a+b&password=%2B', 'h', '/d', { file: 'a b', password: '+' }],
])('%s is read', (text, host, path, given) => {
  const { url, parameters } = read(text);
  expect([url.hostname, url.pathname, Object.fromEntries(parameters)]).toEqual([host, path, given]);
});

test.each([
  ['localhost', true],
  ['::1', true],
  ['127.9.9.9', true],
  ['127.0.0.1.example.com', false],
])('%s is this machine: %s', (host, expected) => expect(isThisMachine(host)).toBe(expected));
