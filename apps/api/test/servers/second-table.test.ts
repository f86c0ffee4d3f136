import { keepsASecondTable } from '../second-table.ts';
import { onEveryServer } from './every-server.ts';

await onEveryServer((engine, { freshDatabase, runSql }) => keepsASecondTable(engine, freshDatabase, runSql));
