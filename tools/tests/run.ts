import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isInstalled } from '@plant-store/testing/mysql/programs';

// `npx -y pnpm@12 test`: turbo tests what has changed since it was green, quietly, and this says what was not run. Arguments are
// turbo's. With TEST_REQUIRED=1, as in .ci/run, an engine that is not there is a failure.

const { DOCKER_HOST, TEST_CITUS_URL, TEST_EXHAUSTIVE, TEST_MYSQL_IMAGE, TEST_MYSQL_URL, TEST_REQUIRED } = process.env;
const hasDocker = DOCKER_HOST !== undefined || existsSync('/var/run/docker.sock');
const hasMysql = Boolean(TEST_MYSQL_URL || TEST_MYSQL_IMAGE) || hasDocker || isInstalled();

// The checks of the repository's files ask git which files there are. An archive of the sources has none.
const hasGit = existsSync('.git');

const missing = hasMysql
  ? []
  : [
      'on MariaDB or MySQL: run .ci/install-mariadb (Debian, Ubuntu) or install mariadb, start Docker, or set TEST_MYSQL_URL',
    ];
const leftOut = [
  ...(TEST_CITUS_URL ? [] : ['on a cluster of Citus: set TEST_CITUS_URL']),
  ...(hasGit ? [] : ['the checks of documents, manifests and boundaries: clone the repository with git']),
  ...(TEST_EXHAUSTIVE ? [] : ['replays of documents, and copies of the repository: test:all']),
];

const tasks = ['test', 'test:postgres', 'test:mysql'];
const { status } = spawnSync(
  'turbo',
  [
    'run',
    ...tasks,
    '--output-logs=errors-only',
    '--concurrency=200%',
    ...(hasGit ? [] : ['--filter=!@plant-store/tools']),
    ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
    // Part of what turbo caches a result by: without the engine its tests are skipped.
    env: { ...process.env, TEST_ENGINES: hasMysql ? 'mysql,postgres' : 'postgres' },
  },
);
for (const each of [...missing, ...leftOut]) process.stdout.write(`Not run: ${each}\n`);
process.exitCode = status === 0 && TEST_REQUIRED && missing.length > 0 ? 1 : (status ?? 1);
