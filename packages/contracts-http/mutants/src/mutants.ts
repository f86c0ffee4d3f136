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

/** Services that break a clause about plants: what is sent, stored and returned. */
export const plantMutants: readonly Mutant[] = [...records, ...ids, ...texts, ...creating];

/** Services that break a clause about requests: how they are written, and whether they are accepted. */
export const requestMutants: readonly Mutant[] = [...bodies, ...mediaTypes, ...authentication, ...addresses];

/** Services that break a clause about the layers of HTTP below, or about the description. */
export const connectionMutants: readonly Mutant[] = [
  // First those that are waited for: the others are checked meanwhile.
  ...timeOuts,
  ...description,
  ...framing,
  ...connections,
  ...unfinished,
  ...requestIds,
];
