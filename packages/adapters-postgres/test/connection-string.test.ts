import { postgresStorage } from '@plant-store/adapters-postgres';
import { parseConnectionString } from '@plant-store/adapters-postgres/connection-string';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  for (const name of ['PGSSLMODE', 'PGSSLNEGOTIATION', 'PGHOST']) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

const sslModes = 'expected disable or prefer or require or verify-ca or verify-full or no-verify';

test.each([
  [
    '?sslmdoe=verify-full',
    'parameter 1 of 1 is unknown: remove it; expected application_name, host, options, password',
  ],
  ['?ssl=true&sslmode=disable', 'ssl and sslmode: keep only sslmode'],
  ['?sslmode=verify_full', `sslmode: ${sslModes}`],
  ['?prepare=off', 'prepare: expected true or false'],
  ['?sslmode=verify-full&sslrootcert=system', 'sslrootcert=system: leave it out or give a file, such as /etc/ssl'],
  ['?sslrootcert=/missing/ca.pem', "ENOENT: no such file or directory, open '/missing/ca.pem'"],
  ['%2Fa', 'pg does not decode every escape in a database, such as %2F; set PGDATABASE instead'],
  ['', `PGSSLMODE: ${sslModes}`, 'verify_full'],
])('what pg would ignore is rejected: plants%s', async (rest, reason, mode?: string) => {
  vi.stubEnv('PGSSLMODE', mode);
  const connectionString = `postgres://me:s3cret@db.example/plants${rest}`;
  const opening = postgresStorage({ connectionString }).open();
  await expect(opening).rejects.toMatchObject({ name: 'StoreMisconfigured' });
  await expect(opening).rejects.toThrow(`the connection string cannot be used (${reason}`);
});

/** The settings that pg derives from the parsed URL. */
function decoded(url: string) {
  const { user, password, host, port, database } = new pg.Client(parseConnectionString(url).url);
  return { user, password, host, port, database };
}

/** The printable characters of ASCII, and three others. */
const characters = [...Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)), 'é', '蕨', '🌿'];

test.each([
  ['password', 'me:…@h/d', ' #%/?'],
  ['password', 'me:…@h/d?sslmode=require&application_name=me@garden', ' #%/?'],
  ['password', 'me@h/d?password=…', ' #%&+'],
  // A colon ends the user.
  ['user', '…:s3cret@h/d', ' #%/:?'],
  ['user', 'h/d?user=…&password=s3cret', ' #%&+'],
] as const)('a %s in %s is rejected if it has one of %j, and otherwise read exactly', (part, form, refused) => {
  for (const character of characters) {
    const url = `postgres://${form.replace('…', () => `%2F12${character}%25b`)}`;
    const exact = { host: 'h', database: 'd', [part]: `/12${character}%b` };
    if (!refused.includes(character)) expect(decoded(url)).toMatchObject(exact);
    else if (character !== ':') expect(() => decoded(url), url).toThrow('the connection string cannot be used (');
  }
});

test.each([
  ['user=a%20b&%73slmode=prefer', 'user=a+b&sslmode=verify-full'],
  ['sslmode=verify-ca&uselibpqcompat=false', 'sslmode=verify-full&uselibpqcompat=false'],
  ['sslmode=require&uselibpqcompat=true', 'sslmode=require&uselibpqcompat=true'],
  ['sslmode=no-verify', 'sslmode=no-verify'],
])('?%s is as strict with any version of pg', (query, rewritten) => {
  const { url } = parseConnectionString(`postgres://me:a%3Fb@db.example/plants?${query}`);
  expect(url).toBe(`postgres://me:a%3Fb@db.example/plants?${rewritten}`);
});

test.each([
  ['me@127.0.0.1.example/plants', true],
  ['me@localhost/plants?host=db.example', true],
  ['me@db.example/plants?ssl=0', true],
  ['me@127.9.9.9:5432/plants', false],
  ['me@%2Frun%2Fpostgresql/plants', false],
  ['me:s3cret@/plants', true, 'db.example'],
  ['me@a.example/plants?sslmode=disable', false],
  ['me@a.example/plants?ssl=true', false],
  ['me@db.example/plants?sslnegotiation=direct', false],
])('postgres://%s sends plaintext without sslmode=disable: %s', (rest, expected, host?: string) => {
  vi.stubEnv('PGHOST', host);
  const { plaintext, url } = parseConnectionString(`postgres://${rest}`);
  expect(plaintext).toBe(expected);
  if (expected) expect(new pg.Client(url).ssl).toBeFalsy();
});
