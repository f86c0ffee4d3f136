import { openMysql } from '@plant-store/adapters-mysql';
import { printable, rawCharacters } from '@plant-store/testing';
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
  // A / in the path is taken for a mistake.
  const [text, database] = [printable.join(''), printable.join('').replace('/', '')];
  const url = `mysql://${encodeURIComponent(text)}:${encodeURIComponent(text)}@h/${encodeURIComponent(database)}`;
  expect(parseConnectionString(url)).toMatchObject({ host: 'h', user: text, password: text, database });
});

test.each([
  ['password', 'me:…@h/d', ' #%/?@'],
  // A colon ends it.
  ['user', '…:s3cret@h/d', ' #%/:?@'],
] as const)('a %s in %s is refused if it has one of %j, and otherwise read exactly', (part, form, refused) => {
  for (const { character, raw, meant } of rawCharacters()) {
    const url = `mysql://${form.replace('…', () => raw)}`;
    if (!refused.includes(character))
      expect(parseConnectionString(url)).toMatchObject({ host: 'h', port: 3306, database: 'd', [part]: meant });
    else if (character !== ':')
      expect(() => parseConnectionString(url), url).toThrow('the connection string cannot be used (');
  }
});

test.each([
  ['h/d', true],
  ['localhost.example/d', true],
  ['127.0.0.2/d', false],
  ['[::1]/d', false],
  ['h/d?ssl-mode=DISABLED', false],
  ['h/d?ssl-mode=REQUIRED', false],
])('mysql://%s is reached in plaintext though nobody wrote so: %s', (rest, expected) => {
  expect(parseConnectionString(`mysql://${rest}`).plaintext).toBe(expected);
});

test.each([
  ['h/d?sslmode=verify-full', 'parameter 1 of 1 is unknown: expected ssl-mode, ssl-ca, ssl-cert, ssl-key'],
  ['h/d?ssl-mode=required', 'ssl-mode: expected DISABLED or REQUIRED or VERIFY_CA or VERIFY_IDENTITY'],
  ['h/d?ssl-ca=/ca.pem', 'ssl-ca needs ssl-mode=VERIFY_IDENTITY'],
  ['h/d?ssl-mode=DISABLED&ssl-ca=/ca.pem', 'ssl-ca needs ssl-mode=VERIFY_IDENTITY'],
  ['h/d?ssl-mode=REQUIRED&ssl-cert=/c.pem', 'ssl-cert and ssl-key go together'],
  ['h/d?ssl-mode=VERIFY_CA&ssl-ca=/nowhere.pem', 'ssl-ca: no such file'],
  [
    '10.0.0.1/d?ssl-mode=VERIFY_IDENTITY',
    "ssl-mode=VERIFY_IDENTITY checks a name: give the host's name, or use VERIFY_CA",
  ],
  ['a,b:3307/d', 'it names several hosts; name one: a proxy, or a virtual address, that leads to the one that writes'],
  ['h/a/b', 'it names no database'],
  ['/d', 'Invalid URL'],
])('%s is refused on opening, without the password', async (rest, reason) => {
  expect(reason).not.toContain('s3cret');
  await expect(openMysql({ connectionString: `mysql://me:s3cret@${rest}` })).rejects.toThrow(
    new Error(
      `the connection string cannot be used (${reason}): give mysql://user:password@host:port/database, with special characters percent-encoded`,
    ),
  );
});
