// Writes the parts of the documents that are made from the code:
//
//   npx -y pnpm@12 docs:update

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parts, withPart } from './parts.ts';
import { read, root } from './root.ts';

let written = 0;
for (const part of parts) {
  const document = read(part.file);
  const updated = await withPart(document, part);
  if (updated === document) continue;
  writeFileSync(join(root, part.file), updated);
  process.stdout.write(`${part.file}: ${part.name} is made anew\n`);
  written += 1;
}
process.stdout.write(`documents: ${parts.length} parts looked at, ${written} made anew\n`);
