import { freshDatabase } from '@plant-store/testing-postgres';
import { keepsHttpContract } from '../keeps-http-contract.ts';

keepsHttpContract('postgres', freshDatabase);
