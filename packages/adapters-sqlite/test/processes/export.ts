// Exports the names in a file as JSON, in a process without root's privileges.
//
//   node --conditions=development export.ts FILE

import { sqliteExport } from '@plant-store/adapters-sqlite';

const [path = ''] = process.argv.slice(2);
const names: string[] = [];
for await (const { name } of sqliteExport({ path }).readAll()) names.push(name);
process.stdout.write(JSON.stringify(names));
