// Starts a dedicated server, pauses it, writes its URL to standard output, and waits to be killed.

import { startDedicatedServer } from '../../src/postgres/embedded-server.ts';

const server = await startDedicatedServer();
await server.pause();
process.stdout.write(`${server.url}\n`);
setInterval(() => {}, 60_000);
