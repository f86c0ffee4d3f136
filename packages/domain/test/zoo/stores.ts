import type { StoreMember } from './member.ts';
import { added } from './stores/added.ts';
import { aliases } from './stores/aliases.ts';
import { closing } from './stores/closing.ts';
import { crashes } from './stores/crashes.ts';
import { crowdedRaces, crowdedSharing } from './stores/crowds.ts';
import { ids } from './stores/ids.ts';
import { neighbours } from './stores/neighbours.ts';
import { outages } from './stores/outages.ts';
import { races } from './stores/races.ts';
import { readiness } from './stores/readiness.ts';
import { recovery } from './stores/recovery.ts';
import { refusals } from './stores/refusals.ts';
import { reopening } from './stores/reopening.ts';
import { serverCrashes } from './stores/server-crashes.ts';
import { sharing } from './stores/sharing.ts';
import { tags } from './stores/tags.ts';
import { taken } from './stores/taken.ts';
import { texts } from './stores/texts.ts';
import { unreadiness } from './stores/unreadiness.ts';

/** Every broken store, in the order of the clauses that they break. */
export const brokenStores: readonly StoreMember[] = [
  ...ids,
  ...texts,
  ...tags,
  ...added,
  ...taken,
  ...races,
  ...crowdedRaces,
  ...sharing,
  ...crowdedSharing,
  ...aliases,
  ...neighbours,
  ...reopening,
  ...crashes,
  ...outages,
  ...recovery,
  ...readiness,
  ...closing,
  ...refusals,
  ...unreadiness,
  ...serverCrashes,
];
