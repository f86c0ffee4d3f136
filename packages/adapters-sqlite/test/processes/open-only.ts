// A process of its own: opens a store on the file, says that it is ready, and has nothing more to do.
//
//   node --conditions=development open-only.ts FILE

import { openSqlite } from '@plant-store/adapters-sqlite';

const [path = ''] = process.argv.slice(2);
await openSqlite({ path });
process.stdout.write('ready\n');
