import { openMysql } from '@plant-store/adapters-mysql';
import { expect, test } from 'vitest';
import { parseConnectionString } from '../src/connection-string.ts';

test('a connection string with everything', () => {
  const text = 'mariadb://me:s3%2Fcret@[::1]:3307/plants?ssl-mode=VERIFY_CA&ssl-ca=%2Fca.pem&ssl-cert=/c&ssl-key=/k';
  expect(parseConnectionString(text)).toEqual({
    host: '::1',
    port: 3307,
    user: 'me',
    password: 's3/cret',
    database: 'plants',
    sslMode: 'VERIFY_CA',
    sslFiles: { ca: '/ca.pem', cert: '/c', key: '/k' },
    plaintext: false,
  });
});

test('user, password and database with every printable character, percent-encoded, are read exactly', () => {
  const text = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)).join('');
  // A / in the path is rejected.
  const [encoded, database] = [encodeURIComponent(text), text.replace('/', '')];
  const url = `mysql://${encoded}:${encoded}@h/${encodeURIComponent(database)}`;
  expect(parseConnectionString(url)).toMatchObject({ host: 'h', user: text, password: text, database });
});

test.each([
  ['h/d', true],
  ['127.0.0.2/d', false],
  ['[::1]/d', false],
  ['h/d?ssl-mode=DISABLED', false],
])('mysql://%s sends plaintext without ssl-mode=DISABLED: %s', (rest, expected) => {
  expect(parseConnectionString(`mysql://${rest}`).plaintext).toBe(expected);
});

test.each([
  ['h/d?sslmode=verify-full', 'parameter 1 of 1 is unknown: expected ssl-mode, ssl-ca, ssl-cert, ssl-key'],
  ['h/d?ssl-mode=required', 'ssl-mode: expected DISABLED or REQUIRED or VERIFY_CA or VERIFY_IDENTITY'],
  ['h/d?ssl-ca=/ca.pem', 'ssl-ca needs ssl-mode=VERIFY_IDENTITY'],
  ['h/d?ssl-mode=REQUIRED&ssl-cert=/c.pem', 'ssl-cert and ssl-key go together'],
  ['h/d?ssl-mode=VERIFY_CA&ssl-ca=/missing.pem', 'ssl-ca: no such file'],
  ['10.0.0.1/d?ssl-mode=VERIFY_IDENTITY', 'ssl-mode=VERIFY_IDENTITY checks a name: give'],
  ['a,b:3307/d', 'it names several hosts; name one'],
  ['h/a/b', 'it names no database'],
  ['/d', 'Invalid URL'],
])('%s is rejected on opening, without the password', async (rest, reason) => {
  const opening = openMysql({ connectionString: `mysql://me:s3cret@${rest}` });
  await expect(opening).rejects.toThrow(`the connection string cannot be used (${reason}`);
  await expect(opening).rejects.not.toThrow('s3cret');
});
