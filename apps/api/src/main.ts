#!/usr/bin/env -S node --disable-sigusr1
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './cli/index.ts';

// V8 places new objects in the old generation where those of the same origin survived. During startup all survive, so parts of
// every request would be, and each would keep all of its request alive until a full collection.
setFlagsFromString('--no-allocation-site-pretenuring');

await runCommandLine(process.argv.slice(2), process.env);
