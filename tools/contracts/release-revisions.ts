// Freezes the revisions that clauses have opened, in contracts/revisions.json, as a step of a release:
//
//   npx -y pnpm@12 revisions

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read, root } from '../repository.ts';
import { missing, revisions } from './revisions.ts';

const PATH = 'contracts/revisions.json';
const now = revisions();
const changed = missing(JSON.parse(read(PATH)), now);
if (changed.length > 0) {
  process.stderr.write(`released revisions never change; name a later month in \`since\`:\n${changed.join('\n')}\n`);
  process.exit(1);
}
writeFileSync(join(root, PATH), `${JSON.stringify(now, undefined, 2)}\n`);
