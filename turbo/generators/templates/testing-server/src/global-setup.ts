import { sharedByTheRun } from '@plant-store/testing-servers';
import { startDedicatedServer } from './dedicated-server.ts';
import { notImplemented } from './not-implemented.ts';

/** vitest's `globalSetup`: the server that is given, else one of the run's own. */
export default sharedByTheRun('new-engine', async () => {
  const url = process.env['TEST_NEW_ENGINE_URL'];
  if (url) return { provided: { url }, description: 'NewEngine for the tests: TEST_NEW_ENGINE_URL', async stop() {} };
  if (process.env['TEST_NEW_ENGINE_IMAGE'])
    throw notImplemented('a container of TEST_NEW_ENGINE_IMAGE: start one, as testing-postgres does');
  const server = await startDedicatedServer();
  return {
    provided: { url: server.url },
    description: 'NewEngine for the tests: a server of this run',
    stop: server.stop,
  };
});
