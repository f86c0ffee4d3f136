import { mysqlStorage } from '@plant-store/adapters-mysql';
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

test.each([
  ['h/d', true],
  ['127.0.0.2/d', false],
  ['[::1]/d', false],
  ['h/d?ssl-mode=DISABLED', false],
])('mysql://%s sends plaintext without ssl-mode=DISABLED: %s', (rest, expected) => {
  expect(parseConnectionString(`mysql://${rest}`).plaintext).toBe(expected);
});

test.each([
  ['h/d?sslmode=verify-full', 'parameter 1 of 1 is unknown'],
  ['h/d?ssl-mode=required', 'ssl-mode: expected DISABLED or REQUIRED or VERIFY_CA or VERIFY_IDENTITY'],
  ['h/d?ssl-ca=/ca.pem', 'ssl-ca needs ssl-mode=VERIFY_IDENTITY'],
  ['h/d?ssl-mode=REQUIRED&ssl-cert=/c.pem', 'ssl-cert and ssl-key go together'],
  ['h/d?ssl-mode=VERIFY_CA&ssl-ca=/missing.pem', 'ssl-ca: the file cannot be read'],
  ['10.0.0.1/d?ssl-mode=VERIFY_IDENTITY', 'ssl-mode=VERIFY_IDENTITY checks a name: give'],
  ['a,b:3307/d', 'it names several hosts; name one'],
  ['h/a/b', 'it names no database'],
  ['/d', 'Invalid URL'],
])('P8/F11 %s is rejected on opening, without the password', async (rest, reason) => {
  const opening = mysqlStorage({ connectionString: `mysql://me:s3cret@${rest}` }).open();
  await expect(opening).rejects.toMatchObject({ name: 'StoreMisconfigured' });
  await expect(opening).rejects.toThrow(`the connection string cannot be used (${reason}`);
  await expect(opening).rejects.not.toThrow('s3cret');
});
