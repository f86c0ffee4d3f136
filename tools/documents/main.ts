// Writes the tables that are made from the code, wherever a document has their markers:
//
//   npx -y pnpm@12 docs:update

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents, read, root } from './repository.ts';
import { withTables } from './with-tables.ts';

for (const path of documents()) {
  const before = read(path);
  const after = await withTables(before);
  if (after === before) continue;
  writeFileSync(join(root, path), after);
  process.stdout.write(`written: ${path}\n`);
}
