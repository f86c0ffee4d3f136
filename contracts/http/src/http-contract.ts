import type { Contract } from '@plant-store/contracts-kit';
import { addressClauses } from './clauses/address-clauses.ts';
import { authenticationClauses } from './clauses/authentication-clauses.ts';
import { bodyClauses } from './clauses/body-clauses.ts';
import { connectionClauses } from './clauses/connection-clauses.ts';
import { creatingClauses } from './clauses/creating-clauses.ts';
import { descriptionClauses } from './clauses/description-clauses.ts';
import { framingClauses } from './clauses/framing-clauses.ts';
import { idClauses } from './clauses/id-clauses.ts';
import { mediaTypeClauses } from './clauses/media-type-clauses.ts';
import { recordClauses } from './clauses/record-clauses.ts';
import { requestIdClauses } from './clauses/request-id-clauses.ts';
import { textClauses } from './clauses/text-clauses.ts';
import { timeOutClauses } from './clauses/time-out-clauses.ts';
import { unfinishedClauses } from './clauses/unfinished-clauses.ts';
import type { withConcurrentWaits } from './concurrent-waits.ts';
import type { DeployedService } from './deployed-service.ts';

/**
 * The HTTP contract: what a client of `POST {base_url}/plants` can rely on, from the record down to the bytes,
 * and the description of it at `{base_url}/openapi.json`.
 *
 * It can be checked against any running service, repeatedly and while it is in use: it needs no
 * empty store, and leaves plants with random ids behind, and one at each edge of the range of ids
 * (0, ±2^53 with its neighbours, the two smallest and the two largest) unless another plant is there. Two of
 * them are as large as the body limit allows, at most 1 MiB. See {@link withConcurrentWaits} for a run that takes
 * 15 seconds instead of 30, most of it waiting for slow requests to time out.
 */
export const httpContract: Contract<DeployedService> = {
  name: 'HTTP',
  clauses: [
    ...recordClauses,
    ...idClauses,
    ...textClauses,
    ...creatingClauses,
    ...bodyClauses,
    ...mediaTypeClauses,
    ...authenticationClauses,
    ...addressClauses,
    ...framingClauses,
    ...connectionClauses,
    ...unfinishedClauses,
    ...timeOutClauses,
    ...descriptionClauses,
    ...requestIdClauses,
  ],
};
