import { withOwnTests } from '../../stryker.base.mjs';

export default withOwnTests(import.meta.dirname);
