#!/usr/bin/env node
import { runCommandLine } from './cli/index.ts';

await runCommandLine(process.argv.slice(2), process.env);
