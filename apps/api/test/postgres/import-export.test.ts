import { freshDatabase } from '@plant-store/testing-postgres';
import { importsAndExports } from '../imports-and-exports.ts';

importsAndExports('postgres', () => freshDatabase());
