import { sharedServerSetup } from '../shared-server.ts';
import { mysql } from './engine.ts';

/** vitest's `globalSetup`. Without any server, tests within `onServer` are skipped with a reason. */
export default sharedServerSetup(mysql);
