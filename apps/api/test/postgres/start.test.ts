import { readFile, writeFile } from 'node:fs/promises';
import { ownServer, runSql } from '@plant-store/testing/postgres';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { composedService } from '../composed-service.ts';
import { runHere } from '../run-here.ts';
import { beginService, create, runToEnd, TOKEN } from '../running-service.ts';

/** A dedicated server that requires the password of guest. */
const server = ownServer({ fsync: false });
beforeAll(async () => {
  await runSql(server.url, "CREATE ROLE guest LOGIN SUPERUSER PASSWORD 'sesame'");
  const file = String((await runSql(server.url, 'SHOW hba_file'))[0]?.['hba_file']);
  await writeFile(file, `local all guest scram-sha-256\n${await readFile(file, 'utf8')}`);
  await runSql(server.url, 'SELECT pg_reload_conf()');
});

const addUser = (userinfo: string) => server.url.replace(/\/\/[^@]*@/, `//${userinfo}@`);

test.each(['import /dev/null', 'export', 'migrate up', 'migrate status', 'serve'])(
  'P8/F11 wrong credentials are told in one line that names the setting, with exit code 2: %s',
  async (command) => {
    const environment = {
      DATABASE_URL: addUser('guest:mellon'),
      ADMIN_PORT: 'off',
      API_TOKENS: TOKEN,
      LOG_LEVEL: 'error',
    };
    // The service ends its process itself.
    const run = command === 'serve' ? runToEnd([command], environment) : runHere(command, environment);
    const { code, output } = await run;
    const lines = output.split('\n').filter((line) => line.startsWith('plant-store: '));
    expect({ code, lines }).toEqual({
      code: 2,
      lines: [expect.stringMatching(/DATABASE_URL: .*check user, password/)],
    });
    expect(output).not.toMatch(/mellon|^ {4}at /m);
  },
);

async function killServer(): Promise<void> {
  await server.kill();
  onTestFinished(() => server.start());
}

/** A service whose server is down. */
async function startBeforeItsServer(userinfo: string) {
  const service = beginService({ DATABASE_URL: addUser(userinfo) });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await service.printed(/"not ready: .*; the service tries again every second"/);
  return service;
}

test.each(['auto', 'off'])(
  'P5/F2 P5/F3 a service starts before its database, lives and is not ready, and listens once that is up: MIGRATE=%s',
  async (MIGRATE) => {
    const DATABASE_URL = addUser('guest:sesame');
    // As a process, which does not end if something is left open.
    expect((await runToEnd(['migrate', 'up'], { DATABASE_URL })).code).toBe(0);
    await killServer();
    const lines: string[] = [];
    const printed = (pattern: RegExp) => expect.poll(() => lines.join('')).toMatch(pattern);
    const starting = composedService({ DATABASE_URL, MIGRATE, ADMIN_PORT: '0' }, lines);
    await printed(/"not ready: .*; the service tries again every second"/);
    const [, adminUrl] = /"admin listener on ([^"]+)"/.exec(lines.join('')) ?? [];
    const ready = await fetch(`${adminUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable', reason: expect.any(String) }]);
    expect((await fetch(`${adminUrl}/livez`)).status).toBe(200);
    expect(lines.join('')).not.toMatch(/\(admin: | {4}at |sesame/);
    await server.start();
    const { url, stop } = await starting;
    onTestFinished(() => stop());
    expect((await create(url, { id: 7, name: 'Fern' })).status).toBe(200);
    const status = async () => (await fetch(`${adminUrl}/readyz`)).status;
    const metrics = async () => (await fetch(`${adminUrl}/metrics`)).text();
    expect(await status()).toBe(200);
    await server.kill();
    expect((await create(url, { id: 8, name: 'Moss' })).status).toBe(503);
    await expect.poll(status).toBe(503);
    await printed(/"level":40.*"store unavailable: /);
    await expect.poll(metrics).toMatch(/^plant_store_ready 0$/m);
    await server.start();
    await expect.poll(status).toBe(200);
    await printed(/"store available".*"store unavailable: .*"store available"/s);
    await expect.poll(metrics).toMatch(/^plant_store_ready 1$/m);
  },
);

test('a service that its database rejects once that is up exits, and one that waits for it ends at SIGTERM', async () => {
  await killServer();
  const waiting = await startBeforeItsServer('guest:sesame');
  const service = await startBeforeItsServer('nobody:mellon');
  expect(await waiting.stop()).toBe(0);
  await server.start();
  expect(await service.ended).toBe(2);
  expect(service.output()).toMatch(/^plant-store: DATABASE_URL: .*check user/m);
  expect(service.output()).not.toContain('mellon');
});
