// A process of its own: starts as a service does, on a file that is migrated, and says so. It then has nothing to do but wait
// for the end of its standard input.
//
//   node --conditions=development open.ts FILE

import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';

const [path = ''] = process.argv.slice(2);
await migrateSqlite({ path });
await openSqlite({ path });
process.stdout.write('ready\n');
process.stdin.resume();
