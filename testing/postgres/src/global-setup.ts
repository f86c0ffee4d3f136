import { sharedByTheRun } from '@plant-store/testing-servers';
import { postgres } from './engine.ts';

/** vitest's `globalSetup`. */
export default sharedByTheRun(postgres);
