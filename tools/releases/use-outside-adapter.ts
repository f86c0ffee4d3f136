import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** How a program ended. */
export interface Ended {
  /** Its exit code, or the signal that killed it. */
  readonly code: number | string;
  /** Its standard output. */
  readonly output: string;
  /** Its standard error. */
  readonly errors: string;
}

/**
 * Runs a program to its end.
 * @param added variables besides those of this process.
 */
export type Run = (program: string, args: readonly string[], cwd: string, added?: NodeJS.ProcessEnv) => Ended;

/**
 * A storage adapter outside of this repository, as its team has one: typechecked, tested with its contract, packed, and then
 * installed in another directory, from which the built service has it by its name.
 *
 * @param tarballs of the published packages, by their names.
 */
export async function useOutsideAdapter(
  root: string,
  directory: string,
  tarballs: Readonly<Record<string, string>>,
  run: Run,
): Promise<void> {
  const adapter = join(directory, 'plants-on-file-log');
  const succeed = (...given: Parameters<Run>) => {
    const { code, output, errors } = run(...given);
    assert.equal(code, 0, `${given[0]} ${given[1].join(' ')}:\n${output}${errors}`);
    return output;
  };

  cpSync(join(import.meta.dirname, 'outside-adapter'), adapter, { recursive: true });
  // What it needs is not in a registry yet, and neither is what that needs.
  const manifest = JSON.parse(readFileSync(join(adapter, 'package.json'), 'utf8'));
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies'])
    for (const name of Object.keys(manifest[kind])) manifest[kind][name] = tarballs[name] ?? manifest[kind][name];
  writeFileSync(join(adapter, 'package.json'), JSON.stringify({ ...manifest, overrides: tarballs }, undefined, 2));
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  succeed('npm', install, adapter);

  succeed('npm', ['run', 'typecheck'], adapter);
  const report = join(directory, 'report.json');
  succeed('npm', ['test', '--', '--reporter=json', `--outputFile=${report}`], adapter);
  assert.ok(JSON.parse(readFileSync(report, 'utf8')).numPassedTests > 15);

  const service = join(directory, 'service');
  mkdirSync(service);
  writeFileSync(join(service, 'package.json'), JSON.stringify({ private: true, overrides: tarballs }));
  const packed = succeed('npm', ['pack', '--silent', '--pack-destination', service], adapter).trim().split('\n').at(-1);
  succeed('npm', [...install, `./${packed}`], service);

  const token = 'token-of-the-trial';
  const environment = {
    STORAGE_ADAPTER: 'plants-on-file-log',
    DATABASE_URL: `file-log:${join(service, 'plants.log')}`,
    API_TOKENS: token,
    PORT: '0',
    ADMIN_PORT: 'off',
  };
  const main = join(root, 'apps/api/dist/main.js');
  const plantStore = (...args: string[]) => succeed(process.execPath, [main, ...args], service, environment);
  assert.match(succeed('npx', ['@plant-store/contracts-stores'], service, environment), / 0 failed/);
  assert.equal(plantStore('migrate', 'up'), 'this store has no schema\n');

  const serving = spawn(process.execPath, [main, 'serve'], {
    cwd: service,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(serving, 'close');
  try {
    const url = await listeningAt(serving.stdout);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = '{"id":9007199254740993,"name":"Fern","tag":""}';
    const response = await fetch(`${url}/plants`, { method: 'POST', headers, body });
    assert.deepEqual([response.status, await response.text()], [200, '{"name":"Fern","tag":""}']);
  } finally {
    serving.kill();
  }
  assert.deepEqual(await ended, [0, null]);
  assert.equal(plantStore('export'), '{"id":9007199254740993,"name":"Fern","tag":""}\n');
  process.stdout.write('a storage adapter from outside passes its contract, and the service runs on it\n');
}

/** The address in the log of a service that starts. */
async function listeningAt(log: Readable): Promise<string> {
  let text = '';
  // It goes on to write.
  for await (const chunk of log.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const [, url] = /"listening on ([^" ]+)/.exec(text) ?? [];
    if (url) return url;
  }
  throw new Error(`the service ended:\n${text}`);
}
