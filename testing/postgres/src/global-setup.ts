import { sharedByTheRun } from '@plant-store/testing-servers';
import { startSharedServer } from './shared-server.ts';

/** vitest's `globalSetup`. */
export default sharedByTheRun('postgres', async () => {
  const { url, databasePrefix, fsync, version, description, stop } = await startSharedServer(process.env);
  return {
    provided: { url, databasePrefix, fsync },
    description: `PostgreSQL ${version} for the tests: ${description}`,
    stop,
  };
});
