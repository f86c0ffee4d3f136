import { freshDatabase } from '@plant-store/testing-postgres';
import { describeHttpContract } from '../describe-http-contract.ts';

describeHttpContract('postgres', freshDatabase);
