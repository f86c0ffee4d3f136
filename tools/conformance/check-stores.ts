// Checks the service and its store on every engine, and writes the reports and badges of docs/conformance:
//
//   npx -y pnpm@12 conformance
//
// Arguments select engines: `conformance sqlite mysql`. Citus needs TEST_CITUS_URL.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { losingProxy } from '@plant-store/testing';
import * as mysql from '@plant-store/testing/mysql';
import * as postgres from '@plant-store/testing/postgres';
import { read, root } from '../repository.ts';
import { startService } from './start-service.ts';

/** A store to check. */
interface Store {
  readonly url: string;
  /** The engine with its version. */
  readonly engine: string;
}

/** The stores by the name of their adapter. Each is removed at the end. */
const stores: Readonly<Record<string, (cleanup: AsyncDisposableStack) => Promise<Store>>> = {
  memory: async () => ({ url: 'memory:', engine: `Node ${process.versions.node}` }),
  async sqlite(cleanup) {
    // A relative path, because the reports show it.
    const scratch = 'reports/conformance';
    mkdirSync(join(root, scratch), { recursive: true });
    cleanup.defer(() => rmSync(join(root, scratch), { recursive: true }));
    return { url: `sqlite:${scratch}/plants.db`, engine: `SQLite ${process.versions['sqlite']}` };
  },
  async postgres(cleanup) {
    const server = await postgres.startDedicatedServer();
    cleanup.defer(() => server.stop());
    const [row] = await postgres.runSql(server.url, 'SHOW server_version');
    // The server listens on a socket in a directory of this machine, which the reports would show.
    const { url } = await losingProxy(server.url, (close) => cleanup.defer(async () => close()));
    return { url, engine: `PostgreSQL ${row?.['server_version']}` };
  },
  async mysql(cleanup) {
    const server = await mysql.startDedicatedServer();
    cleanup.defer(() => server.stop());
    const [row] = await mysql.runSql(server.url, 'select version() as version');
    const version = String(row?.['version']);
    const engine = `${version.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${version}`;
    await mysql.runSql(server.url, 'create database plants');
    return { url: server.url.replace(/mysql$/, 'plants'), engine };
  },
};

const { TEST_CITUS_URL: citus } = process.env;
const all: typeof stores = citus ? { ...stores, citus: async () => ({ url: citus, engine: 'Citus' }) } : stores;
const selected = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(all);
const codes: (number | null)[] = [];
for (const store of selected) {
  await using cleanup = new AsyncDisposableStack();
  const prepare = all[store];
  if (!prepare) throw new Error(`no store ${store}: pass some of ${Object.keys(all).join(', ')}`);
  const { url, engine } = await prepare(cleanup);
  const settings = { DATABASE_URL: url };
  codes.push(await run(['apps/api/src/main.ts', 'migrate', 'up'], settings));
  const ofStore = [...reportOf('verify-store', store), ...implementation(`packages/adapters-${store}`, engine)];
  codes.push(await run(['contracts/stores/src/cli/main.ts', '--adapters-from', 'apps/api', ...ofStore], settings));
  await using service = await startService(url);
  const ofService = [...reportOf('verify', store), ...implementation('apps/api', engine)];
  const given = ['--url', service.url, '--other-token', service.otherToken];
  codes.push(await run(['contracts/http/src/cli/main.ts', ...given, ...ofService], { API_TOKEN: service.token }));
}
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

function reportOf(command: string, store: string): readonly string[] {
  const path = `docs/conformance/${command}-${store}`;
  return ['--report', `${path}.json`, '--badge', `${path}.badge.json`, '--force'];
}

/** The options that name a package of ours as the implementation. */
function implementation(folder: string, engine: string): readonly string[] {
  const { name, version } = JSON.parse(read(`${folder}/package.json`));
  return ['--name', `${name} on ${engine}`, '--implementation-version', version];
}

/** Runs a program of the workspace, and resolves with its exit code. */
async function run(args: readonly string[], settings: NodeJS.ProcessEnv): Promise<number | null> {
  const env = { ...process.env, ...settings };
  const program = spawn(process.execPath, ['--conditions=development', ...args], { cwd: root, env, stdio: 'inherit' });
  const [code] = await once(program, 'exit');
  return code;
}
