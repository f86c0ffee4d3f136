import { expect, test } from 'vitest';
import { maskedUrl } from '../../src/config/urls.ts';
import { runToEnd } from '../run-in-process.ts';

test('config shows the effective values and their sources, without secrets', async () => {
  const { code, output } = await runToEnd(['config'], {
    PORT: '8080',
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://user:hunter2@host/db?sslmode=verify-full',
    API_TOKENS: 'hunter2-hunter2-1,hunter2-hunter2-2',
    JWT_ISSUER: 'https://issuer.example/',
    JWT_AUDIENCE: 'plants',
    JWT_JWKS_URL: 'https://issuer.example/keys?api_key=hunter2',
  });
  expect(code).toBe(0);
  expect(output).toMatch(/^HOST +default +127\.0\.0\.1$/m);
  expect(output).toMatch(/^PORT +environment +8080$/m);
  expect(output).toMatch(/^SHUTDOWN_DELAY_MS +default +3000$/m);
  expect(output).toMatch(/^DATABASE_URL +environment +postgres:\/\/\*\*\*@host\/db\?sslmode=verify-full$/m);
  expect(output).toMatch(/^API_TOKENS +environment +\*\*\*,\*\*\*$/m);
  expect(output).toMatch(/^JWT_JWKS_URL +environment +https:\/\/issuer\.example\/keys\?\*\*\*$/m);
  expect(output).not.toContain('hunter2');
});

test('config --json prints data, without what has no effect', async () => {
  const { output } = await runToEnd(['config', '--json'], { PORT: '8080' });
  const all: { name: string }[] = JSON.parse(output);
  expect(all).toContainEqual({ name: 'PORT', source: 'environment', value: '8080' });
  expect(all.filter(({ name }) => /^JWT_|_FILE$/.test(name))).toEqual([]);
});

test.each([
  ['postgres://host:5432/db', 'postgres://host:5432/db'],
  ['postgres:///db?host=/run&password=secret', 'postgres:///db?host=/run&***'],
  ['postgres://h/db?sslmode=verify-full', 'postgres://h/db?sslmode=verify-full'],
  ['postgres:///db?host=postgres://user:S@h&port=5', 'postgres:///db?port=5&***'],
  ['postgres://h/db?ssl=%7B%22key%22:%22S%22%7D&host=a%0Ab', 'postgres://h/db?***'],
  ['sqlite:postgres://user:S@host/x', '***'],
  ['sqlite:///S@host/x', '***'],
  ['https://secret@host/x?secret&a=b?secret#secret', 'https://***@host/x?***'],
  // As it is read: with what is around it and what is missing.
  ['\nhttps:\\\\S:S@i\\k', 'https://***@i/k'],
  // What cannot be read, or may have a secret although it has no host, is not shown at all.
  ['//user:S@host', '***'],
  ['postgres://user:S@/db', '***'],
  ['postgres:/user:S@host/db', '***'],
  ['shelf:1', 'shelf:1'],
])('a URL is shown without what may be a secret: %j', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown);
});
