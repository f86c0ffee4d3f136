import { openMysql } from '@plant-store/adapters-mysql';
import { parseConnectionString } from '@plant-store/adapters-mysql/connection-string';
import { expect, test } from 'vitest';
import { sslOptions } from '../src/driver/session.ts';

test('a connection string with everything', () => {
  const text = 'mariadb://me:s3%2Fcret@db.example:3307,[::1],c/plants?ssl-mode=VERIFY_CA&ssl-ca=%2Fca.pem';
  expect(parseConnectionString(text)).toEqual({
    hosts: [
      { host: 'db.example', port: 3307 },
      { host: '::1', port: 3306 },
      { host: 'c', port: 3306 },
    ],
    user: 'me',
    password: 's3/cret',
    database: 'plants',
    sslMode: 'VERIFY_CA',
    sslFiles: { ca: '/ca.pem' },
    plaintext: false,
  });
});

test('a connection string with as little as possible, and one with a client certificate', () => {
  const least = { user: '', password: '', sslMode: undefined, sslFiles: {} };
  expect(parseConnectionString('mysql://h/d')).toMatchObject(least);
  const certified = parseConnectionString('mysql://h/d?ssl-mode=REQUIRED&ssl-cert=/c.pem&ssl-key=/k.pem');
  expect(certified.sslFiles).toEqual({ cert: '/c.pem', key: '/k.pem' });
});

test.each(['', '?ssl-mode=DISABLED'])('with %s nothing is encrypted', (parameters) => {
  expect(sslOptions(parseConnectionString(`mysql://h/d${parameters}`))).toEqual({});
});

test.each([
  ['h/d', true],
  ['127.0.0.1,h/d', true],
  ['localhost,127.0.0.2,[::1]/d', false],
  ['h/d?ssl-mode=DISABLED', false],
  ['h/d?ssl-mode=REQUIRED', false],
])('mysql://%s is reached in plaintext though nobody wrote so: %s', (rest, expected) => {
  expect(parseConnectionString(`mysql://${rest}`).plaintext).toBe(expected);
});

test.each([
  ['h/d?sslmode=verify-full', 'parameter 1 of 1 is unknown: expected ssl-mode, ssl-ca, ssl-cert or ssl-key'],
  ['h/d?ssl-mode=required', 'ssl-mode: expected DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY'],
  ['h/d?ssl-ca=/ca.pem', 'ssl-ca needs ssl-mode=VERIFY_IDENTITY'],
  ['h/d?ssl-mode=DISABLED&ssl-ca=/ca.pem', 'ssl-ca needs ssl-mode=VERIFY_IDENTITY'],
  ['h/d?ssl-mode=REQUIRED&ssl-cert=/c.pem', 'ssl-cert and ssl-key go together'],
  ['h/d?ssl-mode=VERIFY_CA&ssl-ca=/', 'ssl-ca: the file cannot be read'],
  ['h/d?ssl-mode=VERIFY_CA&ssl-ca=/nowhere.pem', 'ssl-ca: no such file'],
  [
    'h,10.0.0.1/d?ssl-mode=VERIFY_IDENTITY',
    "ssl-mode=VERIFY_IDENTITY checks a name: give the host's name, or use VERIFY_CA",
  ],
  ['h', 'it names no database'],
  ['h/a/b', 'it names no database'],
  ['a:x/d', 'Invalid URL'],
  ['h,/d', 'Invalid URL'],
  ['/d', 'Invalid URL'],
  ['h@:x/d', 'Invalid URL'],
  // A password with an unescaped @: no part of it is taken for a host.
  ['ss@h/d', 'Invalid URL'],
  ['h/%', 'Invalid URL'],
  ['h/d#', 'it has a #; write %23'],
])('%s is refused on opening, without the password', async (rest, reason) => {
  await expect(openMysql({ connectionString: `mysql://me:s3cret@${rest}` })).rejects.toThrow(
    new Error(
      `the connection string cannot be used (${reason}): give mysql://user:password@host:port/database, with special characters percent-encoded`,
    ),
  );
});
