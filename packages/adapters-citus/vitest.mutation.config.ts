import { onServer } from '../../vitest.mutation.config.ts';

export default onServer('postgres');
