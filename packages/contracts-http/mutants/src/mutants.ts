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

/** Services that break one clause each. */
export const mutants: readonly Mutant[] = [
  // First those that are waited for: the others are checked meanwhile.
  ...timeOuts,
  ...description,
  ...framing,
  ...connections,
  ...unfinished,
  ...requestIds,
  ...bodies,
  ...mediaTypes,
  ...authentication,
  ...addresses,
  ...records,
  ...ids,
  ...texts,
  ...creating,
];
