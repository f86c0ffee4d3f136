import type { Member } from './member.ts';
import { addresses } from './members/addresses.ts';
import { authentication } from './members/authentication.ts';
import { bodies } from './members/bodies.ts';
import { connections } from './members/connections.ts';
import { creating } from './members/creating.ts';
import { description } from './members/description.ts';
import { framing } from './members/framing.ts';
import { ids } from './members/ids.ts';
import { mediaTypes } from './members/media-types.ts';
import { records } from './members/records.ts';
import { requestIds } from './members/request-ids.ts';
import { texts } from './members/texts.ts';
import { timeOuts } from './members/time-outs.ts';
import { unfinished } from './members/unfinished.ts';

/** Services that break a clause about plants: what goes in, what is stored and what comes out. */
export const brokenPlants: readonly Member[] = [...records, ...ids, ...texts, ...creating];

/** Services that break a clause about requests: how one is written, and whether it is let in. */
export const brokenRequests: readonly Member[] = [...bodies, ...mediaTypes, ...authentication, ...addresses];

/** Services that break a clause about HTTP beneath, or about the description. */
export const brokenConnections: readonly Member[] = [
  ...framing,
  ...connections,
  ...unfinished,
  ...timeOuts,
  ...description,
  ...requestIds,
];
