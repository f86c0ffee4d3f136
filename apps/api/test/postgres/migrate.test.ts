import { freshDatabase } from '@plant-store/testing-postgres';
import { migrates } from '../migrates.ts';

migrates('postgres', freshDatabase);
