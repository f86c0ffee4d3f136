// A process of its own: prints as JSON what becomes of all that opens a file.
//
//   node --conditions=development outcomes.ts FILE

import { outcomesAt } from '../outcomes.ts';

process.stdout.write(JSON.stringify(await outcomesAt(process.argv[2] ?? '')));
