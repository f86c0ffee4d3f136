import { withServer } from '../../stryker.base.mjs';

export default withServer(import.meta.dirname);
