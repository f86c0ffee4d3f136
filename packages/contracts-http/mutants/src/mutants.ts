import type { Mutant } from './mutant.ts';
import { addresses } from './mutants/addresses.ts';
import { authentication } from './mutants/authentication.ts';
import { bodies } from './mutants/bodies.ts';
import { connections } from './mutants/connections.ts';
import { creating } from './mutants/creating.ts';
import { description } from './mutants/description.ts';
import { framing } from './mutants/framing.ts';
import { ids } from './mutants/ids.ts';
import { mediaTypes } from './mutants/media-types.ts';
import { records } from './mutants/records.ts';
import { requestIds } from './mutants/request-ids.ts';
import { texts } from './mutants/texts.ts';
import { timeOuts } from './mutants/time-outs.ts';
import { unfinished } from './mutants/unfinished.ts';

/** Services that break a clause about plants: what goes in, what is stored and what comes out. */
export const plantMutants: readonly Mutant[] = [...records, ...ids, ...texts, ...creating];

/** Services that break a clause about requests: how one is written, and whether it is let in. */
export const requestMutants: readonly Mutant[] = [...bodies, ...mediaTypes, ...authentication, ...addresses];

/** Services that break a clause about HTTP beneath, or about the description. */
export const connectionMutants: readonly Mutant[] = [
  ...framing,
  ...connections,
  ...unfinished,
  ...timeOuts,
  ...description,
  ...requestIds,
];
