#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './cli/index.ts';

// Without a listener Node would open its debugger, and with it the tokens, to every user of the machine.
process.on('SIGUSR1', () => {});

// V8 places new objects in the old generation if objects of the same origin survived, as all do during startup. Parts of every
// request would be placed there, and would keep the request alive until a full collection.
setFlagsFromString('--no-allocation-site-pretenuring');

await runCommandLine(process.argv.slice(2), process.env);
