import { sharedByTheRun } from '../index.ts';
import { postgres } from './engine.ts';

/** vitest's `globalSetup`. */
export default sharedByTheRun(postgres);
