import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { openPostgres } from '@plant-store/adapters-postgres';
import { parseConnectionString } from '@plant-store/adapters-postgres/connection-string';
import { listening, printable, rawCharacters } from '@plant-store/testing-servers';
import fc from 'fast-check';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inDatabase, inSchema } from '../src/harness/scratch-database.ts';

beforeEach(() => {
  for (const name of ['PGSSLMODE', 'PGSSLNEGOTIATION', 'PGHOST']) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const sslModes = 'expected disable or prefer or require or verify-ca or verify-full or no-verify';

test.each([
  [
    'sslmdoe=verify-full',
    'parameter 1 of 1 is unknown: expected application_name, host, options, password, port, prepare, ssl, sslcert, sslkey, sslmode, sslnegotiation, sslrootcert, uselibpqcompat, user',
  ],
  ['ssl=true&sslmode=disable', 'ssl and sslmode: keep only sslmode'],
  ['sslmode=verify_full', `sslmode: ${sslModes}`],
  ['ssl=verify-full', 'ssl: expected true or 1 or 0 or no-verify'],
  ['uselibpqcompat=1&sslmode=prefer', 'uselibpqcompat: expected true or false'],
  ['prepare=off', 'prepare: expected true or false'],
  ['sslnegotiation=Direct', 'sslnegotiation: expected postgres or direct'],
  ['user=a#b', 'it has a #; write %23'],
  [
    'sslmode=verify-full&sslrootcert=system',
    'sslrootcert=system: leave it out or give a file, such as /etc/ssl/certs/ca-certificates.crt',
  ],
])('what pg would pass over is refused: %s', async (query, reason) => {
  const opening = openPostgres({ connectionString: `postgres://me:s3cret@db.example/plants?${query}` });
  await expect(opening).rejects.toThrow(
    new Error(
      `the connection string cannot be used (${reason}): give postgres://user:password@host:port/database, with special characters percent-encoded`,
    ),
  );
});

test('PGSSLMODE is checked, too', () => {
  vi.stubEnv('PGSSLMODE', 'verify_full');
  expect(() => parseConnectionString('postgres://me@db.example/plants')).toThrow(`PGSSLMODE: ${sslModes}`);
});

describe('a URL is decoded by pg as it is written', () => {
  const decoded = (url: string) => {
    const { user, password, host, port, database } = new pg.Client({
      connectionString: parseConnectionString(url).url,
    });
    return { user, password, host, port, database };
  };
  const where = { host: 'h', port: 5432, database: 'd' };

  test.each([
    ['user:password@', (text: string) => `${text}:${text}@h/d`],
    ['parameters', (text: string) => `h/d?sslmode=disable&user=${text}&password=${text}&prepare=false`],
  ])('if user and password have every printable character, percent-encoded: %s', (_, rest) => {
    const text = printable.join('');
    expect(decoded(`postgres://${rest(encodeURIComponent(text))}`)).toEqual({ user: text, password: text, ...where });
  });

  test.each([
    ['password', 'me:…@h/d', ' #%/?@'],
    ['password', 'me:…@h/d?sslmode=require&application_name=me@garden', ' #%/?@'],
    ['password', 'me@h/d?password=…', ' #%&+'],
    // A colon ends it.
    ['user', '…:s3cret@h/d', ' #%/:?@'],
    ['user', 'h/d?user=…&password=s3cret', ' #%&+'],
  ] as const)('or its %s in %s is refused, if it has one of %j', (part, form, refused) => {
    for (const { character, raw, meant } of rawCharacters()) {
      const url = `postgres://${form.replace('…', () => raw)}`;
      if (!refused.includes(character)) expect(decoded(url)).toMatchObject({ ...where, [part]: meant });
      else if (character !== ':') expect(() => decoded(url), url).toThrow('the connection string cannot be used (');
    }
  });

  test('or its database is refused with an escape that pg keeps', () => {
    const kept = printable.filter((character) => {
      const url = `postgres://me:hunter2@h/a${encodeURIComponent(character)}b`;
      try {
        expect(decoded(url).database).toBe(`a${character}b`);
        return false;
      } catch (error) {
        expect(error).toEqual(
          new Error(
            'the connection string cannot be used (pg does not decode every escape in a database, such as %2F; set PGDATABASE instead): give postgres://user:password@host:port/database, with special characters percent-encoded',
          ),
        );
        return true;
      }
    });
    expect(kept.join('')).toBe('#$&+,/:;=?@');
    vi.stubEnv('PGDATABASE', 'a/b');
    expect(decoded('postgres://me@h').database).toBe('a/b');
  });

  test.each([
    ['postgres:///d?host=/run/postgresql&user=me', '/run/postgresql'],
    ['postgres://me@/d?host=/run/postgresql', '/run/postgresql'],
    ['postgres://me@%2Frun%2Fpostgresql/d', '/run/postgresql'],
    ['postgres://me@/d', 'localhost'],
    ['postgres://me@[::1]/d', '::1'],
  ])('%s leads to %s', (url, host) => {
    expect(decoded(url)).toMatchObject({ user: 'me', host, database: 'd' });
  });
});

test('a file that cannot be read is named, with what the system says of it', async () => {
  const opening = openPostgres({ connectionString: 'postgres://me@db.example/plants?sslrootcert=/missing/ca.pem' });
  await expect(opening).rejects.toMatchObject({
    message: expect.stringContaining("no such file or directory, open '/missing/ca.pem'"),
    cause: { code: 'ENOENT' },
  });
});

test.each(['a.example,b.example:5433/plants', 'me:s3cret@a,b/plants', '/plants?host=a,b'])(
  'several hosts are refused, with what to name instead: %s',
  (rest) =>
    expect(() => parseConnectionString(`postgres://${rest}`)).toThrow('name one: a proxy, or a virtual address'),
);

test('statements are prepared unless the URL says otherwise, which pg does not see', () => {
  expect(parseConnectionString('postgres://me@a/plants').prepare).toBe(true);
  expect(parseConnectionString('postgres://me@a/plants?prepare=false&user=a%20b')).toMatchObject({
    prepare: false,
    url: 'postgres://me@a/plants?user=a+b',
  });
});

test.each([
  ['sslmode=require', 'sslmode=verify-full'],
  ['user=a%20b&%73slmode=prefer&sslrootcert=ca.pem', 'user=a+b&sslmode=verify-full&sslrootcert=ca.pem'],
  ['sslmode=verify-ca&uselibpqcompat=false', 'sslmode=verify-full&uselibpqcompat=false'],
  ['sslmode=require&uselibpqcompat=true', 'sslmode=require&uselibpqcompat=true'],
  ['sslmode=no-verify', 'sslmode=no-verify'],
  ['sslmode=disable', 'sslmode=disable'],
])('what ?%s means stays as strict with any version of pg', (query, rewritten) => {
  const { url } = parseConnectionString(`postgres://me:a%3Fb@db.example/plants?${query}`);
  expect(url).toBe(`postgres://me:a%3Fb@db.example/plants?${rewritten}`);
});

test.each([
  'postgres://me:s3cret@a:5432/plants?sslmode=no-verify',
  'postgresql://me:s3cret@a/plants?host=/run/postgresql&port=9&application_name=one%2Ftwo+three',
  'postgres:///plants?user=me&password=s3cret',
  'postgres://me:a%2Fb@a/plants?options=-c%20jit=off',
  'postgres://me@a',
  'postgres://me@%2Frun%2Fpostgresql/plants',
])('in another database, or schema, %s keeps everything else', (text) => {
  const given = settingsOf(text);
  expect(settingsOf(inDatabase(text, 'garden'))).toEqual({ ...given, database: 'garden' });
  const options = `${given.options ?? ''} -c search_path=garden`.trimStart();
  expect(settingsOf(inSchema(text, 'garden'))).toEqual({ ...given, options });
});

function settingsOf(text: string) {
  const { host, port, user, password, database, ssl, connectionParameters } = new pg.Client(text) as pg.Client & {
    readonly connectionParameters: { readonly application_name?: string; readonly options?: string };
  };
  const { application_name: name, options } = connectionParameters;
  return { host, port, user, password, database, ssl, name, options };
}

describe('TLS', () => {
  const plaintext = (url: string) => parseConnectionString(url).plaintext;

  test.each([
    ['me@127.0.0.1.example/plants', true],
    ['me@localhost/plants?host=db.example', true],
    ['me@[2001:db8::1]/plants', true],
    ['me@127.9.9.9:5432/plants', false],
    ['me@%2Frun%2Fpostgresql/plants', false],
    ['me:s3cret@/plants?host=/run/postgresql', false],
    ['me:s3cret@/plants', false],
    ['/plants?host=::1', false],
    ['me@a.example/plants?sslmode=disable', false],
    ['me@db.example/plants?sslcert=/me.pem', false],
  ])('is missed by postgres://%s: %s', (rest, expected) => expect(plaintext(`postgres://${rest}`)).toBe(expected));

  test('is missed where PGHOST is another machine', () => {
    vi.stubEnv('PGHOST', 'db.example');
    expect(plaintext('postgres:///plants')).toBe(true);
    expect(plaintext('postgres://me:s3cret@/plants')).toBe(true);
  });

  test('is what pg makes of the same parameters', () => {
    // pg says that some modes will mean less in its next version.
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const one = (name: string, ...values: readonly string[]) =>
      fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 }).map((value) => value && `${name}=${value}`);
    const query = fc
      .tuple(
        one('sslmode', 'disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'),
        one('ssl', 'true', '1', '0', 'no-verify'),
        one('sslrootcert', '/dev/null'),
        one('sslkey', '/dev/null'),
        one('sslnegotiation', 'postgres', 'direct'),
        one('uselibpqcompat', 'true', 'false'),
        one('host', 'localhost', '10.0.0.7', '/run'),
      )
      .map((parts) => parts.filter(Boolean).join('&'));
    const urls = query.map((text) => `postgres://me@db.example/plants?${text}`).filter(isReadable);
    const mode = fc.option(fc.constantFrom('disable', 'require', 'no-verify'), { nil: undefined });
    fc.assert(
      fc.property(urls, mode, (url, environmentMode) => {
        vi.stubEnv('PGSSLMODE', environmentMode);
        const { ssl, host } = new pg.Client(url);
        const isRemote = !['localhost', '/run'].includes(host);
        const isWritten =
          /sslmode=disable/.test(url) || (environmentMode === 'disable' && !/[?&]ssl(mode|rootcert|key)?=/.test(url));
        expect(plaintext(url)).toBe(isRemote && !ssl && !isWritten);
        // What pg gets says the same as what was written.
        const given = parseConnectionString(url).url;
        expect(JSON.stringify(new pg.Client(given).ssl)).toBe(JSON.stringify(ssl));
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  ['sslmode=disable', 'a StartupMessage', /^.{8}00030000/],
  ['sslmode=verify-full', 'an SSLRequest', /^0000000804d2162f$/],
  ['sslmode=verify-full&sslnegotiation=direct', 'a ClientHello', /^16/],
])('with %s, a server first receives %s', async (query, _, bytes) => {
  const server = createServer();
  const port = await listening(server, onTestFinished);
  const store = await openPostgres({ connectionString: `postgres://me:s3cret@127.0.0.1:${port}/plants?${query}` });
  const checking = store.check().catch(() => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [data] = (await once(
    socket.on('error', () => {}),
    'data',
  )) as [Buffer];
  expect(data.toString('hex')).toMatch(bytes);
  socket.destroy();
  await checking;
  await store.close();
});

test('one slip in sslmode=verify-full is refused, or leaves the connection encrypted', () => {
  const wanted = 'sslmode=verify-full';
  const at = fc.nat(wanted.length - 1);
  const slip = fc.oneof(
    fc.constantFrom('ssl_mode=verify-full', 'sslmode=', 'sslmode', 'SSLMODE=VERIFY-FULL'),
    at.map((from) => wanted.slice(0, from) + wanted.slice(from + 1)),
    at.map((from) => wanted.slice(0, from) + wanted.slice(from).replace(/^./, (letter) => letter.toUpperCase())),
    fc
      .tuple(at, fc.constantFrom('x', '_', '-', '=', '%20', '&', '+', '%00'))
      .map(([from, more]) => wanted.slice(0, from) + more + wanted.slice(from)),
  );
  const urls = slip.map((query) => `postgres://me:s3cret@db.example/plants?${query}`).filter(isReadable);
  fc.assert(
    fc.property(urls, (url) => {
      expect(new pg.Client(parseConnectionString(url).url).ssl).toBeTruthy();
    }),
  );
});

/** pg refuses a few combinations itself. */
function isReadable(url: string): boolean {
  try {
    parseConnectionString(url);
    return Boolean(new pg.Client(url));
  } catch {
    return false;
  }
}
