// Starts a dedicated server, writes its URL to standard output, and waits to be killed.
//
//   node --conditions=development start-server.ts running|paused

import { startDedicatedServer } from '../../src/postgres/embedded-server.ts';

const server = await startDedicatedServer();
if (process.argv[2] === 'paused') await server.pause();
process.stdout.write(`${server.url}\n`);
setInterval(() => {}, 60_000);
