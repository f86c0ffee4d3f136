import { sharedServerSetup } from '../shared-server.ts';
import { postgres } from './engine.ts';

/** The `globalSetup` for vitest. */
export default sharedServerSetup(postgres);
