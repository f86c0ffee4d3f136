import { existsSync } from 'node:fs';
import { startDedicatedServer } from '@plant-store/testing-new-engine';
import { expect, test } from 'vitest';

test.each(['running', 'killed', 'paused'])('stopping a server that is %s leaves nothing behind', async (state) => {
  const server = await startDedicatedServer();
  const directory = decodeURIComponent(new URL(server.url).hostname);
  expect(existsSync(directory)).toBe(true);
  if (state === 'killed') await server.kill();
  if (state === 'paused') await server.pause();
  await server.stop();
  expect(existsSync(directory)).toBe(false);
});
