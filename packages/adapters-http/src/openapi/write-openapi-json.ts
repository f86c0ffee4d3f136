// Writes openapi.json, the description that is committed and published with the package.
import { writeFileSync } from 'node:fs';
import { operations } from '../operations/operations.ts';
import { openApiDocument } from './document.ts';

writeFileSync(new URL('../../openapi.json', import.meta.url), JSON.stringify(openApiDocument(operations)));
