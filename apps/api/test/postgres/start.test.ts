import { readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ownServer, runSql } from '@plant-store/testing/postgres';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { composedService } from '../composed-service.ts';
import { plants } from '../plants.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { beginService, create, listening } from '../running-service.ts';

/** A dedicated server that requires the password of guest. */
const server = ownServer({ fsync: false });
beforeAll(async () => {
  await runSql(server.url, "CREATE ROLE guest LOGIN SUPERUSER PASSWORD 'sesame'");
  const file = String((await runSql(server.url, 'SHOW hba_file'))[0]?.['hba_file']);
  await writeFile(file, `local all guest scram-sha-256\n${await readFile(file, 'utf8')}`);
  await runSql(server.url, 'SELECT pg_reload_conf()');
});

const urlOf = (userinfo: string) => server.url.replace(/\/\/[^@]*@/, `//${userinfo}@`);

/** What import reads. */
const given = () => ({ stdin: Readable.from([Buffer.from(plants(1, 3))]) });
const IMPORT = 'import - --format ndjson --rejects /dev/null';

test.each([
  [IMPORT, 2],
  ['export', 2],
  ['migrate up', 1],
  ['migrate status', 3],
])('what the server rejects is not waited for, and told in one line: %s', async (command, code) => {
  const run = await runToEnd(command.split(' '), { DATABASE_URL: urlOf('guest:mellon') }, given());
  expect(run).toEqual({ code, output: expect.stringMatching(/^plant-store: .*check user, password and pg_hba.*\n$/) });
  expect(run.output).not.toContain('mellon');
  const starting = composedService({ DATABASE_URL: urlOf('guest:mellon') });
  await expect(starting).rejects.toThrow('check user, password and pg_hba.conf');
});

async function killServer(): Promise<void> {
  await server.kill();
  onTestFinished(() => server.start());
}

/** A service whose server is down. */
async function startedBeforeItsServer(userinfo: string, MIGRATE = 'auto') {
  const service = beginService({ DATABASE_URL: urlOf(userinfo), MIGRATE });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const [, adminUrl] = await service.printed(/"admin listener on ([^"]+)"/);
  await service.printed(/"not ready: .*; the service tries again every second"/);
  return { service, adminUrl };
}

test.each(['auto', 'off'])(
  'a service starts before its database, lives and is not ready, and listens once that is up: MIGRATE=%s',
  async (MIGRATE) => {
    await runToEnd(['migrate', 'up'], { DATABASE_URL: urlOf('guest:sesame') });
    await killServer();
    const { service, adminUrl } = await startedBeforeItsServer('guest:sesame', MIGRATE);
    const ready = await fetch(`${adminUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable', reason: expect.any(String) }]);
    expect((await fetch(`${adminUrl}/livez`)).status).toBe(200);
    expect(service.output()).not.toMatch(/"listening on| {4}at |sesame/);
    await server.start();
    const { url } = await listening(service);
    expect((await create(url, { id: 7, name: 'Fern' })).status).toBe(200);
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    await server.kill();
    expect((await create(url, { id: 8, name: 'Moss' })).status).toBe(503);
    // Results of both are shared for a moment.
    const metrics = async () => (await fetch(`${adminUrl}/metrics`)).text();
    await expect.poll(async () => (await fetch(`${adminUrl}/readyz`)).status).toBe(503);
    await expect.poll(metrics).toMatch(/^plant_store_ready 0$/m);
    await service.printed(/"level":40.*"not ready: (?!.*tries again)/);
    await server.start();
    await expect.poll(async () => (await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    await service.printed(/"ready again"/);
    await expect.poll(metrics).toMatch(/^plant_store_ready 1$/m);
  },
);

test('a service that its database rejects once that is up exits, and one that waits for it ends at SIGTERM', async () => {
  await killServer();
  const waiting = (await startedBeforeItsServer('guest:sesame')).service;
  const { service } = await startedBeforeItsServer('nobody:mellon');
  waiting.process.kill('SIGTERM');
  expect(await waiting.ended).toBe(0);
  await server.start();
  expect(await service.ended).toBe(1);
  expect(service.output()).toMatch(/^plant-store: .*check user/m);
  expect(service.output()).not.toContain('mellon');
});

test('an import waits for a server that is not up yet', async () => {
  await killServer();
  const importing = startInProcess(IMPORT.split(' '), { DATABASE_URL: urlOf('guest:sesame') }, given());
  await expect.poll(importing.output).toMatch(/^plant-store: retrying for up to 60 s: /);
  await server.start();
  expect(await importing.ended).toBe(0);
  expect(importing.output()).toMatch(/^3 stored/m);
});
