// Opens a migrated file as a service does, writes `ready`, and waits for the end of its standard input.
//
//   node --conditions=development open.ts FILE

import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';

const [path = ''] = process.argv.slice(2);
await migrateSqlite({ path });
await openSqlite({ path });
process.stdout.write('ready\n');
process.stdin.resume();
