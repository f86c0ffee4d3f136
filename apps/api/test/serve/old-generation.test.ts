import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOfTheRun, run } from '../running-process.ts';
import { TOKEN } from '../running-service.ts';

/** Main.ts without its option for V8. */
const withoutOption = `--import=data:text/javascript,${encodeURIComponent('import v8 from "node:v8"; import { syncBuiltinESMExports } from "node:module"; v8.setFlagsFromString = () => {}; syncBuiltinESMExports();')}`;

test.each([
  ['nothing', [], false],
  ['something, were it not for the option of main.ts,', [withoutOption], true],
])('V8 places %s of a start in the old generation', async (_what, options, tenures) => {
  const main = join(import.meta.dirname, '../../src/main.ts');
  // V8 prints what it decides.
  const trace = ['--trace-pretenuring-statistics', '--conditions=development', ...options, main];
  const settings = { PORT: '0', ADMIN_PORT: '0', API_TOKENS: TOKEN, DATABASE_URL: 'memory:' };
  const service = run(process.execPath, trace, { env: { ...environmentOfTheRun(), ...settings } });
  await service.printed(/"listening on/);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(service.output().includes('=> tenure')).toBe(tenures);
});
