import type { Contract } from '@plant-store/contracts-kit';
import { bodyClauses } from './clauses/bodies.ts';
import { connectionClauses } from './clauses/connections.ts';
import { descriptionClauses } from './clauses/description.ts';
import { idClauses } from './clauses/ids.ts';
import { plantClauses } from './clauses/plants.ts';
import { requestClauses } from './clauses/requests.ts';
import { unfinishedClauses } from './clauses/incomplete.ts';
import type { DeployedService } from './deployed-service.ts';
import { revisions } from './revisions.ts';

/**
 * The HTTP contract: what a client of `POST {base_url}/plants`, and a proxy in front, can rely on, from the record down to the
 * bytes, and the description of it at `{base_url}/openapi.json`.
 *
 * It can be checked against any running service, repeatedly and while it is in use: it needs no
 * empty store, and leaves plants with random ids behind, and one at each edge of the range of ids
 * (0, ±2^53 with its neighbours, the two smallest and the two largest) unless another plant is there. Two of
 * them are as large as the body limit allows, at most 1 MiB. It takes 15 seconds, most of which HC-39 waits.
 */
export const httpContract: Contract<DeployedService> = {
  name: 'HTTP',
  clauses: [
    ...plantClauses,
    ...idClauses,
    ...bodyClauses,
    ...requestClauses,
    ...connectionClauses,
    ...unfinishedClauses,
    ...descriptionClauses,
  ],
  revisions,
};
