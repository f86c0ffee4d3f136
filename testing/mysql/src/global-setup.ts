import { sharedByTheRun } from '@plant-store/testing-servers';
import { isInstalled } from './installed-server.ts';
import type { ProvidedMysql } from './provided.ts';
import { startSharedServer } from './shared-server.ts';

/** vitest's `globalSetup`. Without any server, tests within `onServer` are skipped with a reason; in CI the run fails. */
export default sharedByTheRun<'mysql', ProvidedMysql>('mysql', async () => {
  // Where CI tests another server, it does so beside a run with this one.
  if (process.env['CI'] && !process.env['TEST_MYSQL_URL'] && !process.env['TEST_MYSQL_IMAGE'] && !isInstalled())
    throw Object.assign(new Error(`CI requires tests ${NONE}`), { stack: '' });
  const server = await startSharedServer(process.env);
  if (!server) return { provided: { missing: NONE }, description: `Skipped: ${NONE}`, async stop() {} };
  const { url, databasePrefix, description, stop } = server;
  return { provided: { url, databasePrefix }, description, stop };
});

const NONE =
  'on MariaDB or MySQL: run .ci/install-mariadb (Debian, Ubuntu) or install mariadb, start Docker, or set TEST_MYSQL_URL';
