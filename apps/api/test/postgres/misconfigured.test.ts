import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownServer, runSql } from '@plant-store/testing-postgres';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { composedService } from '../composed-service.ts';
import { plants } from '../imports-and-exports.ts';
import { patiently } from '../patiently.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { create, scratchDirectory } from '../running-service.ts';
import { startsBeforeItsDatabase } from '../starts-before-its-database.ts';

/** A dedicated server that requires the password of guest. */
const server = ownServer({ fsync: false });
beforeAll(async () => {
  await runSql(server.url, "CREATE ROLE guest LOGIN SUPERUSER PASSWORD 'sesame'");
  const file = String((await runSql(server.url, 'SHOW hba_file'))[0]?.['hba_file']);
  await writeFile(file, `local all guest scram-sha-256\n${await readFile(file, 'utf8')}`);
  await runSql(server.url, 'SELECT pg_reload_conf()');
});

const urlOf = (userinfo: string) => server.url.replace(/\/\/[^@]*@/, `//${userinfo}@`);

test.each([
  ['a wrong password', () => urlOf('guest:mellon'), 'check user, password and pg_hba.conf'],
  ['no password', () => urlOf('guest'), 'give a password in the URL'],
  ['an unknown user', () => urlOf('nobody'), 'check user, password and pg_hba.conf'],
  ['an unknown database', () => server.url.replace(/\/postgres$/, '/nothing'), 'create the database, or name another'],
  // With an empty label, so that the name is unknown without a name server, too.
  ['an unknown host', () => 'postgres://guest:sesame@nowhere..invalid/plants?sslmode=disable', "check the host's name"],
])('import does not wait for %s: it is a usage error, and nothing was done', async (_title, url, message) => {
  const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
  await writeFile(file, plants(1, 1));
  const { code, output } = await runToEnd(['import', file, '--url', url(), '--retry-for', '1']);
  expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(oneLine) });
  expect(output).toContain(message);
  expect(output).not.toMatch(/sesame|mellon/);
});

test.each([
  ['migrate up', 1],
  ['migrate status', 3],
] as const)('%s does not wait either, and exits with %i', async (command, expected) => {
  const { code, output } = await runToEnd(command.split(' '), { DATABASE_URL: urlOf('guest:mellon') });
  expect({ code, output }).toEqual({ code: expected, output: expect.stringMatching(oneLine) });
  expect(output).toContain('check user, password and pg_hba.conf');
});

test('the service does not wait for what the server rejects', async () => {
  const starting = composedService({ DATABASE_URL: urlOf('guest:mellon') });
  await expect(starting).rejects.toThrow(/^[^\n]*check user, password and pg_hba\.conf[^\n]*$/);
});

startsBeforeItsDatabase(
  'PostgreSQL',
  () => server,
  () => urlOf('guest:mellon'),
);

test('import waits for a server that is not up yet', async () => {
  const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
  await writeFile(file, plants(1, 3));
  await server.kill();
  onTestFinished(() => server.start());
  const importing = startInProcess(['import', file, '--url', urlOf('guest:sesame')]);
  // Long enough for its first attempts; on a slow machine the test covers less, but is still correct.
  await sleep(500);
  await server.start();
  expect(await importing.ended).toBe(0);
  expect(importing.output()).toMatch(/^3 stored, 0 rejected/m);
});

test('a rotated password is an outage, a line in the log for each lost idle connection, until it is set back', async () => {
  const log: string[] = [];
  const service = await composedService({ DATABASE_URL: urlOf('guest:sesame') }, log);
  onTestFinished(() => service.stop());
  expect((await create(service.url, { id: 7, name: 'Fern' })).status).toBe(200);
  await runSql(
    server.url,
    "ALTER ROLE guest PASSWORD 'mellon'; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guest'",
  );
  // Before the next add: one that meets the lost connection first fails instead.
  const line = await vi.waitUntil(() => log.find((each) => each.includes('idle connection')), patiently);
  expect(JSON.parse(line)).toEqual({
    level: 40,
    time: expect.any(Number),
    msg: expect.stringMatching(/^idle connection to PostgreSQL lost: [^\n]+$/),
  });
  await expect.poll(async () => (await create(service.url, { id: 8, name: 'Moss' })).status).toBe(503);
  await runSql(server.url, "ALTER ROLE guest PASSWORD 'sesame'");
  await expect.poll(async () => (await create(service.url, { id: 8, name: 'Moss' })).status).toBe(200);
});

/** One line: neither a stack, nor a usage. */
const oneLine = /^plant-store: .*\n$/;
