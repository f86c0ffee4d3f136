import { sharedServerSetup } from '../shared-server.ts';
import { mysql } from './engine.ts';

/** The `globalSetup` for vitest. */
export default sharedServerSetup(mysql);
