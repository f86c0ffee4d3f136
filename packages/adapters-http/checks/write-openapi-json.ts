// Writes openapi.json, the description that is committed and published with the package.
import { writeFileSync } from 'node:fs';
import { openMemory } from '@plant-store/adapters-memory';
import { useCases } from '@plant-store/domain';
import { createHttpServer } from '../src/index.ts';

const tokens = { verify: async () => ({ accepted: false, reason: 'only described' }) as const };
const app = createHttpServer({ useCases: useCases(openMemory()), tokens });
await app.ready();
writeFileSync(new URL('../openapi.json', import.meta.url), JSON.stringify(app.swagger()));
await app.close();
