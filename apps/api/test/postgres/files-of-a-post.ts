// Prints the own files that run for a POST, as JSON. It is a process of its own, because vitest adds functions to each module.
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { composedService } from '../composed-service.ts';
import { create } from '../running-service.ts';

const service = await composedService({ DATABASE_URL: process.argv[2] ?? '' });
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true });
// The first requests open connections and prepare statements. A probe runs once a second, so most of the others miss it.
const root = `${pathToFileURL(join(import.meta.dirname, '../../../..'))}/`;
let files: readonly string[] | undefined;
for (let id = 1, stored = 0; stored < 10; id++) {
  await session.post('Profiler.takePreciseCoverage');
  const { status } = await create(service.url, { id, name: 'Fern' });
  // A busy machine may be unhealthy for a moment.
  if (status !== 200) continue;
  stored += 1;
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)));
  const paths = ran.map(({ url }) => url.replace(root, ''));
  if (stored > 5) files = files?.filter((path) => paths.includes(path)) ?? paths;
}
await service.stop();
process.stdout.write(JSON.stringify(files?.filter((path) => /^(apps|libraries|packages)\/[\w-]+\/src\//.test(path))));
