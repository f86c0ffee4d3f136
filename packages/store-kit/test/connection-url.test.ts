import { isThisMachine, readUrl } from '@plant-store/store-kit/connection-url';
import { expect, test } from 'vitest';

const known = { mode: ['ON', 'OFF'], file: undefined, host: undefined, user: undefined, password: undefined };
const read = (url: string) => readUrl('x', url, known, 'the primary');

const names = Object.keys(known).join(', ');
const control = 'it has a tab, a line break or another control character; remove it, or write %09, %0A and so on';
const twoAts = 'it has more than one @ before the host; in a user or password, write %40';
const lateAt = 'it has an @ after the host; in a user or password, write %2F for /, %3F for ? and %40 for @';
const notUtf8 = 'it is not UTF-8; write é, for example, as %C3%A9';
const hosts = 'it names several hosts; name one: a proxy, or a virtual address, that leads to the primary';

test.each([
  ['x://me:hunter2@h/d?mdoe=ON', `parameter 1 of 1 is unknown: remove it; expected ${names}`],
  ['x://me:hunter2@h/d?pgbouncer=true', `pgbouncer is unknown: remove it; expected ${names}`],
  ['x://me:hunter2@h/d?file=', 'file is empty: give it a value or remove it'],
  ['x://me:hunter2@h/d?file=a&file=a', 'file is given twice: keep one'],
  ['x://me:hunter2@h/d?mode=on', 'mode: expected ON or OFF'],
  ['me:hunter2@h/d', 'Invalid URL'],
  ['x://me:hunter2@:5/d', 'Invalid URL'],
  ['x://me:hun ter2@h/d', 'it has a space; write %20'],
  ['x://me:hun\tter2@h/d', control],
  ['x://me:hun#ter2@h/d', 'it has a #; write %23'],
  ['x://me:hunter2%@h/d', 'it has a % that begins no escape; write %25'],
  ['x://me:hun%E9ter2@h/d', notUtf8],
  ['x://me@h/d?password=hun%E9ter2', notUtf8],
  ['x://me:hun@ter2@h/d', twoAts],
  ['x://me:hun/ter2@h/d', lateAt],
  ['x://me@h/d?password=hun+ter2', 'it has a + in a parameter, where it means a space; write %2B, or %20'],
  ['x://me:hunter2@a,b:5/d', hosts],
  ['x:///d?mode=ON&host=a%2Cb', hosts],
])('%j is refused, without a part of the password: %s', (url, reason) => {
  const error = `the connection string cannot be used (${reason}): give x://user:password@host:port/database, with special characters percent-encoded`;
  expect(() => read(url)).toThrow(new Error(error));
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
