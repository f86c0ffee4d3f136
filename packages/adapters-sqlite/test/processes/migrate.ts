// A process of its own: says that it is ready, waits until its standard input ends, migrates the file, and writes what
// came of it.
//
//   node --conditions=development migrate.ts FILE

import { text } from 'node:stream/consumers';
import { migrateSqlite } from '@plant-store/adapters-sqlite';

const [path = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
await text(process.stdin);
process.stdout.write(JSON.stringify(await migrateSqlite({ path })));
