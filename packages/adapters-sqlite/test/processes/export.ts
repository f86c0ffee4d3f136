// A process of its own: exports a file as JSON.
//
//   node --conditions=development export.ts FILE

import { sqliteExport } from '@plant-store/adapters-sqlite';

const [path = ''] = process.argv.slice(2);
const names: string[] = [];
for await (const { name } of sqliteExport({ path }).readAll()) names.push(name);
process.stdout.write(JSON.stringify(names));
