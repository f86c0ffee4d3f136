import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Chromium and its kin are found without being on the PATH. */
const wellKnown = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * The Chromium of this machine: `CHROMIUM`, else one by a well-known name.
 *
 * @throws {Error} where there is none: a test that was not run has not passed.
 */
export function findChromium({ CHROMIUM, PATH = '' }: NodeJS.ProcessEnv): string {
  const onPath = names.flatMap((name) => PATH.split(delimiter).map((directory) => join(directory, name)));
  const found = (CHROMIUM ? [CHROMIUM] : [...onPath, ...wellKnown]).find(canBeRun);
  if (found) return found;
  const where = CHROMIUM ? `nothing to run at CHROMIUM=${CHROMIUM}` : 'no Chromium on this machine';
  throw new Error(`${where}: install one (Debian: apt-get install chromium), or set CHROMIUM to its path`);
}

function canBeRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
