// Writes openapi.json, the description that is committed and published with the package.
import { writeFileSync } from 'node:fs';
import { createHttpServer } from '../src/index.ts';

const nothing = () => Promise.reject(new Error('only described'));
const app = createHttpServer({ useCases: { createPlant: nothing }, tokens: { verify: nothing } });
await app.ready();
writeFileSync(new URL('../openapi.json', import.meta.url), JSON.stringify(app.swagger()));
await app.close();
