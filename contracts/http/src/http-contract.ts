import type { Contract } from '@plant-store/contracts-kit';
import { bodyClauses } from './clauses/bodies.ts';
import { connectionClauses } from './clauses/connections.ts';
import { descriptionClauses } from './clauses/description.ts';
import { idClauses } from './clauses/ids.ts';
import { incompleteClauses } from './clauses/incomplete.ts';
import { plantClauses } from './clauses/plants.ts';
import { requestClauses } from './clauses/requests.ts';
import type { DeployedService } from './deployed-service.ts';
import type { HttpMutation } from './mutation.ts';

/**
 * What a client of the API at `{base_url}`, and a proxy in front of it, can rely on, and the description at
 * `{base_url}/openapi.json`. The contract can be checked against any running service, repeatedly and while the service is in
 * use. It leaves plants in the store: see the help of `verify`. It takes 15 seconds, most of which HC-39 waits.
 */
export const httpContract: Contract<DeployedService, HttpMutation> = {
  name: 'HTTP',
  clauses: [
    ...plantClauses,
    ...idClauses,
    ...bodyClauses,
    ...requestClauses,
    ...connectionClauses,
    ...incompleteClauses,
    ...descriptionClauses,
  ],
};
