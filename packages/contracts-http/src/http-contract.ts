import type { Contract } from '@plant-store/contracts-kit';
import { addressClauses } from './address-clauses.ts';
import { authenticationClauses } from './authentication-clauses.ts';
import { bodyClauses } from './body-clauses.ts';
import { connectionClauses } from './connection-clauses.ts';
import { creatingClauses } from './creating-clauses.ts';
import type { DeployedService } from './deployed-service.ts';
import { descriptionClauses } from './description-clauses.ts';
import { framingClauses } from './framing-clauses.ts';
import { idClauses } from './id-clauses.ts';
import { mediaTypeClauses } from './media-type-clauses.ts';
import { recordClauses } from './record-clauses.ts';
import { requestIdClauses } from './request-id-clauses.ts';
import { textClauses } from './text-clauses.ts';
import { timeOutClauses } from './time-out-clauses.ts';
import { unfinishedClauses } from './unfinished-clauses.ts';
import type { whileOthersRun } from './while-others-run.ts';

/**
 * The HTTP contract: what a caller of `POST {base_url}/plants` can count on, from the record down to the bytes,
 * and the description of it at `{base_url}/openapi.json`.
 *
 * It can be checked against any running service, as often as one likes and against one that is in use: it needs no
 * empty store, and leaves plants behind whose ids it drew by chance, and one at each edge of the range of ids
 * (0, ±2^53 with its neighbours, the two smallest and the two largest) unless somebody else's plant is there. Two of
 * them are as large as the body limit lets them be, 1 MiB at most. See {@link whileOthersRun} for a run that takes a
 * quarter of a minute instead of half a one, most of it waiting for slow requests to time out.
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
