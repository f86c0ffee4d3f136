// A process of its own: opens a store on the file and says so, which takes an answer of its writer. It then has nothing to
// do but wait for the end of its standard input.
//
//   node --conditions=development open.ts FILE

import { openSqlite } from '@plant-store/adapters-sqlite';

const [path = ''] = process.argv.slice(2);
await openSqlite({ path });
process.stdout.write('ready\n');
process.stdin.resume();
