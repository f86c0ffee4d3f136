import { added } from './added.ts';
import { aliases } from './aliases.ts';
import { closing } from './closing.ts';
import { concurrentAdds } from './concurrent-adds.ts';
import { crashes } from './crashes.ts';
import { crowdedRaces, crowdedSharing } from './crowds.ts';
import { errors } from './errors.ts';
import { ids } from './ids.ts';
import type { StoreMutant } from './mutant.ts';
import { observers } from './observers.ts';
import { opening } from './opening.ts';
import { optionalTexts } from './optional-texts.ts';
import { outages } from './outages.ts';
import { races } from './races.ts';
import { readiness } from './readiness.ts';
import { recovery } from './recovery.ts';
import { refusals } from './refusals.ts';
import { reopening } from './reopening.ts';
import { serverCrashes } from './server-crashes.ts';
import { sharing } from './sharing.ts';
import { taken } from './taken.ts';
import { texts } from './texts.ts';
import { unreadiness, unreadyCommits } from './unreadiness.ts';

/** Every mutant, in the order of the clauses that they break. */
export const storeMutants: readonly StoreMutant[] = [
  ...ids,
  ...texts,
  ...optionalTexts,
  ...added,
  ...taken,
  ...races,
  ...crowdedRaces,
  ...sharing,
  ...crowdedSharing,
  ...aliases,
  ...concurrentAdds,
  ...reopening,
  ...crashes,
  ...outages,
  ...recovery,
  ...readiness,
  ...closing,
  ...refusals,
  ...unreadiness,
  ...serverCrashes,
  ...opening,
  ...errors,
  ...observers,
  ...unreadyCommits,
];
