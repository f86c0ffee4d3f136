import { sharedServerSetup } from '../shared-server.ts';
import { postgres } from './engine.ts';

/** vitest's `globalSetup`. */
export default sharedServerSetup(postgres);
